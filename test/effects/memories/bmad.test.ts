import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeBmadProgram } from '../../../src/effects/memories/bmad.ts'
import type { WorkingMemory } from '../../../src/memory/working-memory/memory.ts'
import { refused, temporaryFolder } from '../../support/core.ts'
import { git, gitEnvironment, repository } from '../swarm.ts'

const main = resolve(import.meta.dirname, '../../../dist/main.js')
const path = '.bmad-core/utils/persist-memory-cli.js'

/** A repository without aiswarm, in which the seed's command lines work; returns the result of such a line. */
const openBmad = ({
  packageJson,
  self = [process.execPath, main],
}: { packageJson?: string; self?: readonly string[] } = {}) => {
  const root = repository({ 'package.json': packageJson ?? '{}' })
  writeBmadProgram(root, self)
  const at = (folder: string, argv: readonly string[], environment: Record<string, string> = {}): Said => {
    const { status, stdout, stderr }: SpawnSyncReturns<string> = spawnSync(
      process.execPath,
      [join(root, path), ...argv],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { ...gitEnvironment, ...environment },
      },
    )
    return { code: status, out: stdout, err: stderr }
  }
  return {
    root,
    at,
    persist: (...argv: string[]): Said => at(root, argv),
    written: (): WorkingMemory =>
      JSON.parse(readFileSync(join(root, '.ai/working_memory_dev.json'), 'utf8')) as WorkingMemory,
  }
}

interface Said {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const said = (out: string): Said => ({ code: 0, out: `${out}\n`, err: '' })
const failed = (err: string): Said => ({ code: 1, out: '', err: `${err}\n` })

describe("the seed's commands", () => {
  it('work unchanged, without a database', () => {
    const { root, persist, written } = openBmad()
    expect(persist('show', 'dev')).toEqual(said('null'))
    expect(persist('observation', 'dev', 'observation text')).toEqual(said('✓ Observation persisted for dev'))
    expect(persist('decision', 'dev', 'decision text', 'reasoning text')).toEqual(said('✓ Decision persisted for dev'))
    expect(persist('blocker', 'dev', 'blocker description')).toEqual(said('✓ Blocker persisted for dev'))
    const { code, out } = persist('keyfact', 'dev', 'important fact')
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^✓ Key fact persisted for dev with key: fact_\d{13}_[0-9a-z]{9}\n$/),
    ])
    expect(persist('show', 'dev')).toEqual(said(JSON.stringify(written(), null, 2)))
    expect(written()).toMatchObject({
      agentName: 'dev',
      observations: [{ content: 'observation text' }],
      decisions: [{ decision: 'decision text', reasoning: 'reasoning text' }],
      blockers: [{ blocker: 'blocker description' }],
    })
    expect(existsSync(join(root, '.aiswarm'))).toBe(false)
  })

  it('accept texts byte for byte', () => {
    const { persist, written } = openBmad()
    const texts = ['-5 degrees', '--json', '--help', '$(touch x) `y` "z" \'q\' \\', 'two\nlines', 'ünïcödé 😀']
    for (const text of texts) expect(persist('observation', 'dev', text)).toMatchObject({ code: 0 })
    expect(persist('keyfact', 'dev', '--key', 'db', '-x', '--critical')).toEqual(
      said('✓ Key fact persisted for dev with key: db'),
    )
    expect(written().observations.map(({ content }) => content)).toEqual(texts)
    expect(written().keyFacts).toMatchObject({ db: { content: '-x', critical: true } })
  })

  it('reach the other commands as well', () => {
    const { persist, written } = openBmad()
    persist('context', 'dev', 'storyId=S1')
    persist('blocker', 'dev', 'no access')
    expect(persist('resolve', 'dev', 'access', 'done')).toEqual(said('✓ Blocker resolved for dev'))
    expect(written()).toMatchObject({ blockers: [{ resolved: true, context: { storyId: 'S1' } }] })
  })

  it('exit with 1 and create nothing on an error', () => {
    const { root, persist } = openBmad()
    expect(persist()).toEqual(failed(`Usage: node ${path} observation|decision|blocker|keyfact|show AGENT [TEXT...]`))
    expect(persist('frob')).toEqual(failed('Unknown command: frob'))
    expect(persist('constructor', 'dev', 'x')).toEqual(failed('Unknown command: constructor'))
    expect(persist('observation')).toEqual(failed('Error: agent name required'))
    expect(persist('observation', 'dev')).toEqual(failed('Error: observation text required'))
    expect(persist('observation', 'dev', ' ')).toEqual(failed('Error: observation text required'))
    expect(persist('decision', 'dev')).toEqual(failed('Error: decision text required'))
    expect(persist('keyfact', 'dev', '--key', 'x')).toEqual(failed('Error: key fact text required'))
    expect(persist('observation', '../x', 'x')).toMatchObject({ code: 1, out: '' })
    expect(persist('show', 'dev', 'more')).toMatchObject({ code: 1, out: '' })
    expect(existsSync(join(root, '.ai'))).toBe(false)
  })

  it('work in any folder of the repository, whatever the type of its package', () => {
    for (const packageJson of ['{"type": "module"}', '{"type": "commonjs"}']) {
      const { root, at, written } = openBmad({ packageJson })
      mkdirSync(join(root, 'a b', 'c'), { recursive: true })
      expect(at(join(root, 'a b', 'c'), ['observation', 'dev', 'x'])).toEqual(said('✓ Observation persisted for dev'))
      git(root, 'worktree', 'add', '--quiet', '../tree')
      expect(at(join(root, '../tree'), ['observation', 'dev', 'y'])).toEqual(said('✓ Observation persisted for dev'))
      expect(written().observations).toHaveLength(2)
    }
  })

  it('work in a repository without commits', () => {
    const { at } = openBmad()
    const folder = temporaryFolder()
    git(folder, 'init', '--quiet')
    expect(at(folder, ['observation', 'dev', 'x'])).toEqual(said('✓ Observation persisted for dev'))
  })

  it('end by themselves in less than a second', () => {
    const { root, persist } = openBmad()
    const lasts = (work: () => unknown): number => {
      const begun = performance.now()
      work()
      return performance.now() - begun
    }
    // On a busy machine a second proves nothing: a minimal program takes as many times longer, and that is 0.2 s on an
    // idle one.
    const version = () => spawnSync(process.execPath, [main, '--version'], { cwd: root, env: gitEnvironment })
    const times = Array.from({ length: 4 }, () => lasts(() => persist('observation', 'dev', 'x')) / lasts(version))
    expect(Math.min(...times)).toBeLessThan(5)
  })

  it('use the aiswarm on PATH if the one that wrote them is gone, or report that', () => {
    const { root, at } = openBmad({ self: ['/gone/node', '/gone/main.js'] })
    expect(at(root, ['observation', 'dev', 'x'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^Error: aiswarm was not found; /) as string,
    })
    const bin = temporaryFolder()
    writeFileSync(join(bin, 'aiswarm'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 })
    expect(at(root, ['observation', 'dev', 'x'], { PATH: `${bin}:${gitEnvironment.PATH}` })).toEqual(
      said('✓ Observation persisted for dev'),
    )
  })
})

describe('init --bmad', () => {
  it('creates the program once, and again if aiswarm has moved', () => {
    const root = temporaryFolder()
    expect(writeBmadProgram(root, ['/node', '/main.js'])).toEqual([join(root, path)])
    expect(writeBmadProgram(root, ['/node', '/main.js'])).toEqual([])
    expect(writeBmadProgram(root, ['/node', '/new/main.js'])).toEqual([join(root, path)])
    expect(readFileSync(join(root, path), 'utf8')).toContain('/new/main.js')
  })

  it('replaces no foreign program and follows no link', async () => {
    const root = temporaryFolder()
    mkdirSync(join(root, '.bmad-core/utils'), { recursive: true })
    writeFileSync(join(root, path), 'console.log("mine")\n')
    expect(await refused(Promise.resolve().then(() => writeBmadProgram(root, ['a', 'b'])))).toBe('path_exists')
    expect(readFileSync(join(root, path), 'utf8')).toBe('console.log("mine")\n')
    const linked = temporaryFolder()
    symlinkSync(temporaryFolder(), join(linked, '.bmad-core'))
    expect(await refused(Promise.resolve().then(() => writeBmadProgram(linked, ['a', 'b'])))).toBe('outside_worktree')
  })

  it('is an option of init', () => {
    const root = repository()
    const init = (...argv: string[]) =>
      spawnSync(process.execPath, [main, 'init', ...argv], { cwd: root, encoding: 'utf8', env: gitEnvironment })
    expect(init().stdout).not.toContain(path)
    expect(init('--bmad')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining(path) as string })
    expect(
      spawnSync(process.execPath, [path, 'observation', 'dev', 'text'], {
        cwd: root,
        encoding: 'utf8',
        env: gitEnvironment,
      }),
    ).toMatchObject({
      status: 0,
      stdout: '✓ Observation persisted for dev\n',
    })
  })
})
