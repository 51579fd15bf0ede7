import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { withFileLock } from '../../../src/db/sqlite/file-lock.ts'
import type { WorkingMemory } from '../../../src/memory/working-memory/memory.ts'
import { gitEnvironment, repository } from '../../effects/swarm.ts'
import { adrText } from '../../memory/project-memory/project.ts'
import { temporaryFolder } from '../../support/core.ts'
import { openTerminal } from '../terminal.ts'
import { needs } from '../../support/needs.ts'

const main = resolve(import.meta.dirname, '../../../dist/main.js')

interface Said {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The built program in a repository of its own, started as processes. */
const open = (environment: Record<string, string> = {}) => {
  const root = repository({ 'README.md': 'shop\n' })
  const env = { ...gitEnvironment, ...environment }
  return {
    root,
    memory: (...argv: string[]): Said => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'memory', ...argv], {
        cwd: root,
        env,
        encoding: 'utf8',
      })
      return { code: status, out: stdout, err: stderr }
    },
    /** Starts a command without waiting for others. */
    beginning: async (...argv: string[]): Promise<Said> => {
      const child = spawn(process.execPath, [main, 'memory', ...argv], {
        cwd: root,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let [out, err] = ['', '']
      child.stdout.on('data', (piece: Buffer) => (out += piece.toString()))
      child.stderr.on('data', (piece: Buffer) => (err += piece.toString()))
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, out, err }
    },
    file: (name: string, content: string | Uint8Array): string => {
      writeFileSync(join(root, name), content)
      return name
    },
    read: (path: string): string => readFileSync(join(root, path), 'utf8'),
  }
}

const done = { code: 0, err: '' }

describe('a text that starts with a dash', () => {
  it('is accepted as a title, note, plan, task or blocker', () => {
    const { memory, read } = open()
    for (const argv of [
      ['timeline', '- first', '--note', '-x', '--note', '--y'],
      ['timeline', '--', '--json'],
      ['timeline', '-x', '--agent', 'claude'],
      ['plan', 'dev', '-a', '--b'],
      ['complete', 'dev', '--task'],
      ['blocker', 'dev', '-stuck', '--very'],
      ['resolve', 'dev', '-stuck', '-done'],
    ])
      expect(memory(...argv), argv.join(' ')).toMatchObject(done)
    expect(read('context/meta/timeline.md').match(/^(?:## \S+ - )\S+ - (.*)|^- .*/gm)).toHaveLength(5)
    expect(read('context/meta/timeline.md')).toMatch(
      / - human - - first\n- -x\n- --y\n[^]* - human - --json\n[^]* - claude - -x\n/,
    )
    expect(JSON.parse(read('.ai/working_memory_dev.json'))).toMatchObject({
      plan: ['-a', '--b'],
      completedTasks: [{ taskId: '--task' }],
      blockers: [{ resolution: '-done' }],
    })
    expect(memory('timeline', 'title', '--nte', 'x')).toMatchObject({ code: 2 })
  })
})

describe('a file that is not text', () => {
  it('is refused by line number, and nothing is written', () => {
    const { root, memory, file } = open()
    memory('init')
    const bad = file('bad.md', Buffer.from('# ADR-001: x\n\ncaf\xe9\n', 'latin1'))
    for (const argv of [
      ['adr', 'propose', 'ADR-001', '--file', bad],
      ['handoff', 'claude', 'chatgpt', '--file', bad],
      ['compress', '--tokens', '150000', '--summary', bad, '--details', bad],
    ])
      expect(memory(...argv), argv.join(' ')).toEqual({
        code: 1,
        out: '',
        err: `${bad}:3: there is a byte that is not UTF-8; write the file as UTF-8.\n`,
      })
    expect(readdirSync(join(root, 'context/decisions/adr'))).toEqual([])
    expect(existsSync(join(root, 'context/agents/chatgpt'))).toBe(false)
  })

  it('is also refused on standard input', () => {
    const { root } = open()
    const { status, stderr } = spawnSync(
      process.execPath,
      [main, 'memory', 'handoff', 'claude', 'chatgpt', '--file', '-'],
      {
        cwd: root,
        env: gitEnvironment,
        encoding: 'utf8',
        input: Buffer.from([0x23, 0x0a, 0xff]),
      },
    )
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'standard input:2: there is a byte that is not UTF-8; write the file as UTF-8.\n',
    })
  })
})

it('an event with a duplicate key is refused, because one of the two values would be lost', () => {
  const { root, memory } = open()
  expect(memory('log', 'note', 'a=1', 'a=2')).toEqual({
    code: 2,
    out: '',
    err: 'The key "a" is given twice; give it once.\n',
  })
  expect(existsSync(join(root, '.claude'))).toBe(false)
})

it('a path that leaves its folder is refused by every command, and creates nothing', async () => {
  const root = temporaryFolder()
  const goal = join(temporaryFolder(), 'goal.md')
  writeFileSync(goal, '# x\n')
  const services = {
    open: () => Promise.reject(new Error('no database was to be opened')),
    repositoryRoot: () => Promise.resolve(root),
    fileLock: () => Promise.resolve(withFileLock),
  }
  const { run } = await openTerminal({ services })
  for (const name of ['../x', 'a b', '/tmp/x', '', 'ünï', 'x'.repeat(51), '.', 'a/b', 'a\nb', 'a\0b'])
    for (const argv of [
      ...['observation', 'decision', 'blocker', 'keyfact', 'plan', 'complete', 'resolve-blocker', 'resolve'].map(
        (command) => [command, name, 'text', 'more'],
      ),
      ['keyfact', 'dev', 'text', '--key', name],
      ['context', name, 'taskId=1'],
      ['step', name, '1'],
      ['show', name],
      ['hygiene', name],
      ['archive', name],
      ['timeline', 'title', '--agent', name],
      ['log', 'note', '--agent', name],
      ['handoff', name, 'chatgpt', '--file', goal],
      ['handoff', 'claude', name, '--file', goal],
      ['load', 'handoff', name],
      ['brief', name],
      ['log', 'note', '--phase', `../${name}`],
      ['phase', 'complete', `../${name}`],
      ['adr', 'propose', name, '--file', goal],
      ['adr', 'accept', name],
      ['load', 'adr', name],
    ]) {
      const { code, out, err } = await run('memory', ...argv)
      expect({ code, out, silent: err === '' }, argv.join(' ')).toEqual({ code: 1, out: '', silent: false })
    }
  expect(readdirSync(root)).toEqual([])
})

it('init --bmad does not write through a symbolic link', () => {
  const { root } = open()
  const outside = temporaryFolder()
  symlinkSync(outside, join(root, '.bmad-core'))
  const { status, stderr } = spawnSync(process.execPath, [main, 'init', '--bmad'], {
    cwd: root,
    env: gitEnvironment,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `${join(root, '.bmad-core/utils')} leads out of the repository, so no memory is stored there.\n`,
  })
  expect(readdirSync(outside)).toEqual([])
})

it('twenty processes with different commands at once lose no entry and report no problem', async () => {
  const { memory, beginning, file, read, root } = open()
  memory('init')
  file('context/meta/summary.md', '# S\n## Phase Status\n### In Progress\n- Phase 1: None\n')
  for (const n of [1, 2]) file(`${n}.md`, adrText(`ADR-00${n}`))
  file('d.md', '- detail\n')
  const lines = [
    ...[1, 2, 3, 4].map((n) => ['observation', 'dev', `o${n}`]),
    ...[1, 2].map((n) => ['keyfact', 'dev', '--key', `k${n}`, `f${n}`]),
    ...[1, 2, 3].map((n) => ['timeline', `t${n}`, '--agent', 'claude']),
    ...[1, 2, 3].map((n) => ['log', 'note', `n=${n}`, '--agent', 'claude', '--phase', '1']),
    ...[1, 2].map(() => ['log', 'file_modified', 'path=a.ts', 'added=1', '--agent', 'claude', '--phase', '1']),
    ...[1, 2].map((n) => ['adr', 'propose', `ADR-00${n}`, '--agent', 'chatgpt', '--file', `${n}.md`]),
    [
      'compress',
      '--tokens',
      '150000',
      '--summary',
      'context/meta/summary.md',
      '--details',
      'd.md',
      '--agent',
      'claude',
    ],
    ['verify'],
    ['verify'],
    ['show', 'dev'],
  ]
  expect(lines).toHaveLength(20)
  const all = await Promise.all(lines.map((argv) => beginning(...argv)))
  for (const [at, { code, err }] of all.entries()) expect({ code, err }, lines[at]!.join(' ')).toEqual(done)
  const known = JSON.parse(read('.ai/working_memory_dev.json')) as WorkingMemory
  expect(known.observations.map(({ content }) => content).sort()).toEqual(['o1', 'o2', 'o3', 'o4'])
  expect(Object.keys(known.keyFacts).sort()).toEqual(['k1', 'k2'])
  expect(read('context/meta/timeline.md').match(/^## .*/gm)).toHaveLength(4)
  const completed = await Promise.all([
    beginning('phase', 'complete', '1'),
    beginning('log', 'note', 'n=4', '--agent', 'claude', '--phase', '1'),
    beginning('verify'),
  ])
  expect(completed.map(({ code }) => code)).toEqual([0, 0, 0])
  const logs = ['.claude/sessions', '.claude/sessions/archive'].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) =>
      name.startsWith('working-') ? read(`${folder}/${name}`).trimEnd().split('\n') : [],
    ),
  )
  const types = logs.map((line) => (JSON.parse(line) as { type: string }).type).sort()
  expect(types).toEqual([
    ...Array<string>(2).fill('adr_proposed'),
    'compressed',
    ...Array<string>(2).fill('file_modified'),
    ...Array<string>(4).fill('note'),
  ])
  expect(JSON.parse(read('.claude/sessions/file-state.json'))).toMatchObject({ files: { 'a.ts': { added: 2 } } })
  expect(memory('verify')).toMatchObject({ code: 0, out: 'Project memory is sound.\n' })
}, 600_000)

/** Permissions bind every user except root, who can switch to another user. */
const nobody = 65534
const other = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
/** Another user cannot write to the shared compile cache, and would compile the whole program for each command. */
const ofOther = { ...gitEnvironment, NODE_COMPILE_CACHE: join(tmpdir(), 'aiswarm-test-cache-of-others') }
mkdirSync(ofOther.NODE_COMPILE_CACHE, { recursive: true })
chmodSync(ofOther.NODE_COMPILE_CACHE, 0o777)
const canRun = spawnSync(process.execPath, [main, '--version'], { ...other, env: ofOther }).status === 0

describe('a folder', { timeout: 600_000 }, () => {
  beforeEach((context) => needs(context, canRun, 'somebody who is not root cannot run the program here'))

  /**
   * A repository with memories, where some folders have another mode while `work` runs. Calls `work` with the command
   * line of a user who is not root.
   */
  const withMode = (
    mode: number,
    folders: readonly string[],
    work: (as: (...argv: string[]) => Said) => void,
  ): void => {
    const { root, memory } = open()
    for (const argv of [['init'], ['timeline', 'x'], ['plan', 'dev', 'one'], ['plan', 'dev', 'two']])
      expect(memory(...argv)).toMatchObject(done)
    if ('uid' in other) {
      execFileSync('chown', ['-R', `${nobody}:${nobody}`, root])
      chmodSync(join(root, '..'), 0o755)
    }
    for (const folder of folders) chmodSync(join(root, folder), mode)
    try {
      work((...argv) => {
        const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'memory', ...argv], {
          ...other,
          cwd: root,
          env: ofOther,
          encoding: 'utf8',
        })
        return { code: status, out: stdout, err: stderr }
      })
    } finally {
      for (const folder of folders) chmodSync(join(root, folder), 0o755)
    }
  }

  it('without read permission is named in a sentence and in the brief, and the brief is still printed', () => {
    withMode(0, ['.ai', 'context/decisions/adr', '.claude/sessions', 'context/agents'], (as) => {
      for (const argv of [
        ['show', 'dev'],
        ['archive', 'dev'],
        ['observation', 'dev', 'x'],
        ['adr', 'list'],
        ['query', 'files'],
        ['query', 'accepted', 'ADR-001'],
        ['timeline', 'x'],
        ['resolve', 'storage'],
        ['load', 'handoff', 'claude'],
        ['verify'],
      ]) {
        const { code, out, err } = as(...argv)
        expect(code, argv.join(' ')).toBe(1)
        expect(out + err, argv.join(' ')).toMatch(
          /(?:cannot be (?:read|written) \(EACCES\)|Check the permissions of its folder)\.\n/,
        )
      }
      const { code, out } = as('brief', 'dev')
      expect(code).toBe(0)
      expect(out.match(/cannot be read \(EACCES\)/g)).toHaveLength(3)
    })
  })

  it('without write permission can still be read', () => {
    withMode(0o555, ['.ai', '.ai/archive', 'context/meta', 'context/decisions/adr', '.claude/sessions'], (as) => {
      for (const argv of [
        ['show', 'dev'],
        ['archive', 'dev'],
        ['verify'],
        ['load', 'session-start'],
        ['brief', 'dev'],
        ['query', 'files'],
        ['adr', 'list'],
        ['hygiene', 'dev'],
      ])
        expect(as(...argv), argv.join(' ')).toMatchObject(done)
      for (const argv of [
        ['observation', 'dev', 'x'],
        ['plan', 'dev', 'three'],
        ['log', 'note'],
      ])
        expect(as(...argv), argv.join(' ')).toMatchObject({
          code: 1,
          err: expect.stringMatching(/cannot be written \(EACCES\)/) as string,
        })
    })
  })
})

it('a folder in the place of a memory file is refused before anything is created in it', () => {
  const { root, memory } = open()
  const outside = temporaryFolder()
  mkdirSync(join(root, '.claude'))
  symlinkSync(outside, join(root, '.claude/sessions'))
  expect(memory('init')).toMatchObject({
    code: 1,
    err: expect.stringContaining('is a symbolic link, which is not followed') as string,
  })
  expect(readdirSync(outside)).toEqual([])
})
