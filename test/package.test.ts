import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isNewEnough } from '../src/effects/opening/runtime.ts'

const root = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const lock = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, { gypfile?: boolean; resolved?: string }>
}
const described = JSON.parse(read('package.json')) as {
  version: string
  man: readonly string[]
  bin: { aiswarm: string }
  engines: { node: string }
  repository: { url: string }
  dependencies: Record<string, string>
}

describe('the installation', () => {
  // better-sqlite3 carries its binaries, and also a binding.gyp, for which npm 10 would call a compiler. npm 11 reads
  // `allowScripts`; npm 10 reads this key of the lockfile, which `npm install` drops: put it back after a change.
  it('needs no compiler with npm 10', () => {
    expect(lock.packages['node_modules/better-sqlite3']?.gypfile).toBe(false)
  })

  it('refuses to run on a Node that is older than package.json says', () => {
    const [major = 0, minor = 0] = described.engines.node.replace('>=', '').split('.').map(Number)
    expect([`${major}.${minor}.0`, `${major}.${minor - 1}.9`, `${major + 1}.0.0`].map(isNewEnough)).toEqual([
      true,
      false,
      true,
    ])
  })

  it('names no registry in the lockfile', () => {
    expect(Object.values(lock.packages).filter((entry) => entry.resolved !== undefined)).toEqual([])
  })
})

interface Packed {
  readonly name: string
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

describe('the package', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aiswarm-package-')))
  const prefix = join(folder, 'prefix')
  const bin = join(folder, 'bin')
  const run = promisify(execFile)
  /** npm without configuration and cache of the machine, so that it can take nothing from there instead of the network. */
  const npm = async (...args: readonly string[]): Promise<string> => {
    const environment = {
      HOME: folder,
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      npm_config_cache: join(folder, 'cache'),
      npm_config_update_notifier: 'false',
    }
    return (await run('npm', [...args], { cwd: root, env: environment, maxBuffer: 2 ** 26 })).stdout
  }
  let packed: readonly Packed[]

  // The packages that npm install would take from a registry are packed from this checkout.
  beforeAll(async () => {
    const from = ['.', ...Object.keys(described.dependencies), 'node-addon-api'].map((name) =>
      name === '.' ? '.' : `./node_modules/${name}`,
    )
    const answer = JSON.parse(
      await npm('pack', '--ignore-scripts', '--json', '--pack-destination', folder, ...from),
    ) as readonly Packed[] | Readonly<Record<string, Packed>>
    packed = Object.values(answer)
    mkdirSync(prefix)
    await npm(
      'install',
      '--offline',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefix',
      prefix,
      ...packed.map(({ filename }) => join(folder, filename)),
    )
    mkdirSync(bin)
    symlinkSync(process.execPath, join(bin, 'node'))
    symlinkSync((await run('/bin/sh', ['-c', 'command -v git'])).stdout.trim(), join(bin, 'git'))
  }, 300_000)

  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

  /** The installed program, by its name in the prefix, with only node and git on the PATH. */
  const aiswarm = (...args: readonly string[]) => {
    const running = run(join(prefix, 'node_modules/.bin/aiswarm'), [...args], {
      cwd: folder,
      env: { HOME: folder, TMPDIR: folder, PATH: bin, LANG: 'C.UTF-8' },
    })
    running.child.stdin?.end()
    return running
  }

  it('contains what users run and read, and no development files', () => {
    const paths = packed.find(({ name }) => name === 'aiswarm')!.files.map(({ path }) => path)
    for (const path of [
      described.bin.aiswarm,
      ...described.man,
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'docs/console.md',
      'examples/aiswarm-worker.service',
      'migrations/001_InitialSchema.sql',
    ])
      expect(paths).toContain(path)
    expect(
      paths.filter(
        (path) =>
          !/^(?:dist|migrations|schemas|docs|examples)\/|^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(
            path,
          ),
      ),
    ).toEqual([])
  })

  it('weighs at most 2 MB', () => {
    expect(packed.find(({ name }) => name === 'aiswarm')!.size).toBeLessThan(2 * 1024 * 1024)
  })

  it('depends only on what is loaded from outside the bundle', () => {
    const installed = JSON.parse(readFileSync(join(prefix, 'node_modules/.package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, unknown>>
    }
    expect(Object.keys(installed.packages).sort()).toEqual([
      'node_modules/aiswarm',
      'node_modules/better-sqlite3',
      'node_modules/node-addon-api',
    ])
    for (const page of described.man) expect(existsSync(join(prefix, 'node_modules/aiswarm', page))).toBe(true)
  })

  it('prints its version with only node and git installed', async () => {
    expect((await aiswarm('--version')).stdout).toBe(`${described.version}\n`)
  })

  it('runs the demo to its end with only node and git installed', async () => {
    const { stdout } = await aiswarm('demo')
    expect(stdout.match(/: completed \(exit code 0\)/g)).toHaveLength(6)
    expect(stdout).not.toContain('failed')
  }, 300_000)

  it('can be published with provenance, because its repository is a public address', () => {
    expect(described.repository.url).toMatch(/^git\+https:\/\/github\.com\/[\w-]+\/[\w-]+\.git$/)
  })
})
