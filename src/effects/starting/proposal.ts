import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentKind } from '../../agents/kind/kind.ts'
import { agentKinds } from '../../agents/kinds.ts'
import type { InstalledAgent, StartProposal, Verification } from '../../contracts/first-start.ts'
import { defaultSettings } from '../../domain/settings/settings.ts'
import { configPath } from '../files/paths.ts'
import { readRegular } from '../files/regular-file.ts'
import { git } from '../git/git.ts'
import { findTarget } from '../git/repository.ts'
import { which } from '../processes/programs.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Branches that are offered. */
const MOST_BRANCHES = 12

/** Reads the branches, the build tools and the installed agents; writes nothing. */
export const proposeStart = async (root: string, environment: Environment): Promise<StartProposal> => {
  const target = await findTarget(root)
  const kinds = [...agentKinds(defaultSettings).values()]
  const found = kinds.flatMap((kind) => installed(kind, root, environment))
  return {
    root,
    path: configPath(root),
    configured: existsSync(configPath(root)),
    targets: [...new Set([target, ...(await branchesOf(root))])].slice(0, MOST_BRANCHES),
    verifications: verificationsIn(root),
    agents: [...found.filter(({ loggedIn }) => loggedIn), ...found.filter(({ loggedIn }) => !loggedIn)],
    missing: kinds.flatMap(({ name, program }) =>
      program !== undefined && !found.some(({ kind }) => kind === name) ? [name] : [],
    ),
  }
}

/** The newest first. */
const branchesOf = async (root: string): Promise<readonly string[]> =>
  (
    await git(root, [
      'for-each-ref',
      '--sort=-committerdate',
      `--count=${MOST_BRANCHES}`,
      '--format=%(refname:lstrip=2)',
      'refs/heads',
    ])
  )
    .split('\n')
    .filter((name) => name !== '')

const installed = ({ name, program }: AgentKind, root: string, environment: Environment): readonly InstalledAgent[] => {
  if (!program || which(program.binary, root, environment['PATH'] ?? '') === undefined) return []
  const { files = [], variables = [] } = program.login ?? {}
  const home = environment['HOME'] ?? ''
  const loggedIn =
    variables.some((variable) => (environment[variable] ?? '') !== '') ||
    (home !== '' && files.some((file) => existsSync(join(home, file))))
  return [{ kind: name, loggedIn }]
}

/** The root of a repository. */
interface Folder {
  readonly has: (...names: readonly string[]) => boolean
  /** Its text; '' if it is missing, too large or unreadable. */
  readonly text: (name: string) => string
  readonly names: readonly string[]
}

type Tool = (folder: Folder) => Verification | undefined

/**
 * Commands that verify a repository, the proposed one first. They are chosen from a fixed list by the files in the root:
 * a text of the repository, which an agent may have written, never becomes a part of a command.
 */
export const verificationsIn = (root: string): readonly Verification[] => {
  const folder = folderAt(root)
  const found = (tools: readonly Tool[]) => tools.flatMap((tool) => tool(folder) ?? [])
  // A Makefile calls the other tools, so it comes first, and alone.
  const runners = found([make, just])
  const tools = found(builders)
  // It needs what the tools need.
  const setup = together(tools).setup
  return [
    ...runners.map((runner) => ({ ...runner, setup })),
    ...(runners.length === 0 && tools.length > 1 ? [together(tools)] : []),
    ...tools,
  ]
}

const together = (tools: readonly Verification[]): Verification => ({
  command: tools.map(({ command }) => command).join(' && '),
  setup: tools.flatMap(({ setup }) => (setup === '' ? [] : [setup])).join(' && '),
  from: tools.map(({ from }) => from).join(', '),
})

/** Files of this size or more are no build files (bytes). */
const LARGEST = 2 * 1024 * 1024

const folderAt = (root: string): Folder => {
  const text = (name: string): string => {
    try {
      const read = readRegular(join(root, name)) ?? ''
      return read.length < LARGEST ? read : ''
    } catch {
      return ''
    }
  }
  const names = readdirSync(root)
  return {
    has: (...wanted) => wanted.some((name) => names.includes(name) || existsSync(join(root, name))),
    text,
    names,
  }
}

const verification = (from: string, command: string, setup = ''): Verification => ({ command, setup, from })

/** Targets of a Makefile or a justfile that verify, the most thorough first. */
const targets = ['check', 'test', 'verify', 'ci'] as const

const make: Tool = ({ text }) => {
  for (const file of ['Makefile', 'makefile', 'GNUmakefile']) {
    const source = text(file)
    const target = targets.find((name) => new RegExp(`^${name}\\s*::?(?!=)`, 'm').test(source))
    if (target !== undefined) return verification(file, `make ${target}`)
  }
  return undefined
}

const just: Tool = ({ text }) => {
  for (const file of ['justfile', 'Justfile', '.justfile']) {
    const source = text(file)
    const target = targets.find((name) => new RegExp(`^@?${name}(?:\\s[^\\n:]*)?:(?!=)`, 'm').test(source))
    if (target !== undefined) return verification(file, `just ${target}`)
  }
  return undefined
}

const npm: Tool = ({ has, text }) => {
  const scripts = scriptsIn(text('package.json'))
  const test = scripts['test'] ?? ''
  const script = ['test', 'check', 'verify', 'lint', 'typecheck', 'build'].find(
    (name) => (scripts[name] ?? '') !== '' && !(name === 'test' && test.includes('no test specified')),
  )
  if (script === undefined) return undefined
  const run = (program: string): string => (script === 'test' ? `${program} test` : `${program} run ${script}`)
  const made = (command: string, setup: string) => verification('package.json', command, setup)
  if (has('pnpm-lock.yaml')) return made(run('pnpm'), 'pnpm install --frozen-lockfile')
  if (has('yarn.lock'))
    return made(run('yarn'), has('.yarnrc.yml') ? 'yarn install --immutable' : 'yarn install --frozen-lockfile')
  if (has('bun.lock', 'bun.lockb')) return made(`bun run ${script}`, 'bun install --frozen-lockfile')
  if (has('package-lock.json', 'npm-shrinkwrap.json')) return made(run('npm'), 'npm ci')
  return made(run('npm'), hasDependencies(text('package.json')) ? 'npm install' : '')
}

const cargo: Tool = ({ has }) => (has('Cargo.toml') ? verification('Cargo.toml', 'cargo test') : undefined)
const go: Tool = ({ has }) => (has('go.mod') ? verification('go.mod', 'go test ./...') : undefined)

const python: Tool = ({ has, text }) => {
  const file = ['pyproject.toml', 'setup.cfg', 'tox.ini', 'pytest.ini', 'setup.py'].find((name) => has(name))
  if (file === undefined) return undefined
  const usesPytest =
    has('pytest.ini', 'conftest.py') ||
    [text(file), text('setup.cfg'), text('tox.ini')].some((one) => one.includes('pytest'))
  const test = usesPytest ? 'pytest' : has('tests', 'test') ? 'python -m unittest discover' : undefined
  if (test === undefined) return undefined
  if (has('uv.lock')) return verification(file, `uv run ${test}`, 'uv sync')
  if (has('poetry.lock')) return verification(file, `poetry run ${test}`, 'poetry install')
  return verification(file, test)
}

const maven: Tool = ({ has }) =>
  has('pom.xml') ? verification('pom.xml', has('mvnw') ? './mvnw -q verify' : 'mvn -q verify') : undefined

const gradle: Tool = ({ has }) => {
  const file = ['build.gradle.kts', 'build.gradle'].find((name) => has(name))
  return file === undefined ? undefined : verification(file, has('gradlew') ? './gradlew check' : 'gradle check')
}

const ruby: Tool = ({ has }) => {
  if (!has('Gemfile')) return undefined
  if (has('spec')) return verification('Gemfile', 'bundle exec rspec', 'bundle install')
  return has('Rakefile') ? verification('Gemfile', 'bundle exec rake', 'bundle install') : undefined
}

const php: Tool = ({ text }) =>
  (scriptsIn(text('composer.json'))['test'] ?? '') === ''
    ? undefined
    : verification('composer.json', 'composer test', 'composer install')

const elixir: Tool = ({ has }) => (has('mix.exs') ? verification('mix.exs', 'mix test', 'mix deps.get') : undefined)
const swift: Tool = ({ has }) => (has('Package.swift') ? verification('Package.swift', 'swift test') : undefined)

const deno: Tool = ({ has }) => {
  const file = ['deno.json', 'deno.jsonc'].find((name) => has(name))
  return file === undefined ? undefined : verification(file, 'deno test')
}

const dotnet: Tool = ({ names }) => {
  const file = names.find((name) => /\.(?:sln|slnx|csproj|fsproj)$/.test(name))
  // The name of the file is shown only by its ending: it is the repository's text.
  return file === undefined ? undefined : verification(`*${file.slice(file.lastIndexOf('.'))}`, 'dotnet test')
}

const builders: readonly Tool[] = [npm, deno, cargo, go, python, maven, gradle, ruby, php, elixir, swift, dotnet]

const scriptsIn = (source: string): Readonly<Record<string, string>> => {
  const scripts = objectIn(source)['scripts']
  if (typeof scripts !== 'object' || scripts === null) return {}
  return Object.fromEntries(
    Object.entries(scripts).map(([name, value]) => [name, Array.isArray(value) ? 'a list' : String(value)]),
  )
}

const hasDependencies = (source: string): boolean => {
  const { dependencies, devDependencies } = objectIn(source)
  return dependencies !== undefined || devDependencies !== undefined
}

/** A broken file proposes nothing. */
const objectIn = (source: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(source.replace(/^\ufeff/, ''))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
