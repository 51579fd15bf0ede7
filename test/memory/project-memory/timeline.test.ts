import { execa } from 'execa'
import fc from 'fast-check'
import { symlinkSync, rmSync, mkdirSync, existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { appendTimeline, parseTimeline } from '../../../src/memory/project-memory/timeline.ts'
import { type EventDraft, logEvent } from '../../../src/memory/project-memory/working-log.ts'
import { verifyProjectMemory } from '../../../src/memory/project-memory/verify.ts'
import { lines } from '../session-files/values.ts'
import { temporaryFolder } from '../../support/core.ts'
import { project, refusalOf } from './project.ts'

const timeline = 'context/meta/timeline.md'

describe('the timeline', () => {
  it('gets entries with time, agent, title and bullets', () => {
    const { place, read } = project()
    appendTimeline(place, { title: 'Hash chain verified', notes: ['319 lines', 'two\nlines', ' '] }, 'claude')
    expect(read(timeline)).toBe(
      '# Timeline\n\n## 2026-01-30T14:22:33.000Z - claude - Hash chain verified\n- 319 lines\n- two\n  lines\n',
    )
  })

  it('only grows: its new bytes are the old bytes and the addition, whatever it contains', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ title: fc.string({ minLength: 1 }), notes: fc.array(lines, { maxLength: 3 }) }), {
          maxLength: 4,
        }),
        fc.constantFrom('', '# Timeline', 'x\n```\n', '\r\n## broken'),
        (entries, before) => {
          const { place, read, write } = project()
          write(timeline, before)
          for (const entry of entries) {
            const old = read(timeline)
            if (entry.title.trim() === '') continue
            appendTimeline(place, entry, 'claude')
            expect(read(timeline).startsWith(old)).toBe(true)
            expect(parseTimeline(read(timeline)).entries.at(-1)!.notes).toEqual(entry.notes)
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it('is created if it is missing', () => {
    const { place, read } = project({ scaffold: false })
    appendTimeline(place, { title: 'a', notes: [] }, 'human')
    expect(read(timeline)).toBe('# Timeline\n\n## 2026-01-30T14:22:33.000Z - human - a\n')
  })

  it('is checked: a cut or changed part is found, and later entries do not hide it', () => {
    const { place, read, write } = project()
    appendTimeline(place, { title: 'first', notes: [] }, 'claude')
    appendTimeline(place, { title: 'second', notes: [] }, 'claude')
    expect(verifyProjectMemory(place)).toEqual({ findings: [], warnings: [] })
    const whole = read(timeline)
    write(timeline, whole.replace('first', 'First'))
    expect(verifyProjectMemory(place).findings).toEqual([
      { path: timeline, line: 1, problem: `its first ${whole.length} bytes were changed; it may only grow.` },
    ])
    write(timeline, whole.slice(0, 60))
    expect(verifyProjectMemory(place).findings[0]).toEqual({
      path: timeline,
      line: 1,
      problem: `it was truncated: ${whole.length} bytes were written, 60 are left.`,
    })
    appendTimeline(place, { title: 'third', notes: ['long '.repeat(50)] }, 'claude')
    expect(verifyProjectMemory(place).findings[0]!.problem).toBe(
      `its first ${whole.length} bytes were changed; it may only grow.`,
    )
    write(timeline, `${whole}## by hand\n`)
    expect(verifyProjectMemory(place).findings).toMatchObject([{ path: timeline, line: 6 }])
  })

  it('is checked for entries from the future', () => {
    const { place, write } = project()
    write(timeline, '# Timeline\n\n## 2099-01-01T00:00:00.000Z - claude - Too early\n')
    expect(verifyProjectMemory(place).findings).toEqual([
      { path: timeline, line: 3, problem: '2099-01-01T00:00:00.000Z is in the future.' },
    ])
  })

  it('is not written through a link or a pipe, and nothing is created at the target', () => {
    const { place, root, read } = project()
    const outside = join(temporaryFolder(), 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'timeline.md'), 'mine\n')
    rmSync(join(root, timeline))
    symlinkSync(join(outside, 'timeline.md'), join(root, timeline))
    expect(refusalOf(() => appendTimeline(place, { title: 'a', notes: [] }, 'claude')).code).toBe('file_unreadable')
    expect(read(timeline)).toBe('mine\n')
    rmSync(join(root, timeline))
    execFileSync('mkfifo', [join(root, timeline)])
    expect(refusalOf(() => appendTimeline(place, { title: 'a', notes: [] }, 'claude')).code).toBe('file_unreadable')
    rmSync(join(root, 'context'), { recursive: true })
    symlinkSync(outside, join(root, 'context'))
    expect(refusalOf(() => appendTimeline(place, { title: 'a', notes: [] }, 'claude')).code).toBe('outside_worktree')
    expect(existsSync(join(outside, 'meta'))).toBe(false)
  })

  it('loses no entry when 20 processes write at once', async () => {
    const { place, root, read } = project()
    const source = (file: string) => JSON.stringify(resolve(import.meta.dirname, '../../../src', file))
    const writer = (n: number) =>
      execa(process.execPath, [
        '--input-type=module',
        '--eval',
        `const { appendTimeline } = await import(${source('memory/project-memory/timeline.ts')})
         const { logEvent } = await import(${source('memory/project-memory/working-log.ts')})
         const { withFileLock } = await import(${source('db/sqlite/file-lock.ts')})
         const place = { root: ${JSON.stringify(root)}, lock: withFileLock, clock: () => '2026-01-30T14:22:33.000Z', owners: {} }
         for (let i = 0; i < 3; i++) {
           appendTimeline(place, { title: 'entry ${n}.' + i, notes: ['a note'] }, 'a${n}')
           logEvent(place, { type: 'file_modified', fields: { path: 'shared.ts', added: 1 } }, 'a${n}')
         }`,
      ])
    await Promise.all(Array.from({ length: 20 }, (_, n) => writer(n)))
    const titles = parseTimeline(read(timeline)).entries.map(({ title }) => title)
    expect(titles.sort()).toEqual(
      Array.from({ length: 20 }, (_, n) => [0, 1, 2].map((i) => `entry ${n}.${i}`))
        .flat()
        .sort(),
    )
    expect(read('.claude/sessions/working-0.jsonl').split('\n')).toHaveLength(61)
    expect(JSON.parse(read('.claude/sessions/file-state.json'))).toMatchObject({
      files: { 'shared.ts': { added: 60, removed: 0 } },
    })
    expect(verifyProjectMemory(place)).toEqual({ findings: [], warnings: [] })
  }, 600_000)

  it('has whole entries after a writer is killed', async () => {
    const { place, root, read } = project()
    const source = (file: string) => JSON.stringify(resolve(import.meta.dirname, '../../../src', file))
    for (let round = 0; round < 3; round++) {
      const child = execa(process.execPath, [
        '--input-type=module',
        '--eval',
        `const { appendTimeline } = await import(${source('memory/project-memory/timeline.ts')})
         const { withFileLock } = await import(${source('db/sqlite/file-lock.ts')})
         const place = { root: ${JSON.stringify(root)}, lock: withFileLock, clock: () => '2026-01-30T14:22:33.000Z', owners: {} }
         for (let i = 0; ; i++) { appendTimeline(place, { title: 'entry', notes: ['x'.repeat(5000)] }, 'a'); if (i === 2) console.log('ready') }`,
      ])
      child.stdout.once('data', () => child.kill('SIGKILL'))
      await child.catch(() => {})
      for (const { notes } of parseTimeline(read(timeline)).entries) expect(notes).toEqual(['x'.repeat(5000)])
      expect(verifyProjectMemory(place).findings).toEqual([])
    }
    appendTimeline(place, { title: 'after', notes: [] }, 'claude')
    expect(parseTimeline(read(timeline)).entries.at(-1)!.title).toBe('after')
  }, 600_000)
})

describe('the working log', () => {
  it('has one event per line, in the log of the current or named phase', () => {
    const { place, read, write } = project()
    logEvent(place, { type: 'verification', fields: { test: 'hash-chain', status: 'PASSED' } }, 'claude')
    expect(read('.claude/sessions/working-0.jsonl')).toBe(
      '{"timestamp":"2026-01-30T14:22:33.000Z","type":"verification","test":"hash-chain","status":"PASSED","agent":"claude"}\n',
    )
    write('context/meta/summary.md', '## Phase Status\n### In Progress\n- Phase 0.1: ADR-004\n')
    logEvent(place, { type: 'note', fields: {} }, 'claude')
    logEvent(place, { type: 'note', fields: {}, phase: 'Phase 1' }, 'claude')
    expect(read('.claude/sessions/working-0.1.jsonl').split('\n')).toHaveLength(2)
    expect(read('.claude/sessions/working-1.jsonl').split('\n')).toHaveLength(2)
  })

  it('keeps a line that a crash cut short, and starts the next event on its own line', () => {
    const { place, read, write } = project()
    write('.claude/sessions/working-0.jsonl', '{"timest')
    logEvent(place, { type: 'note', fields: { text: '<script>eval("x")\n' } }, 'claude')
    expect(read('.claude/sessions/working-0.jsonl')).toBe(
      '{"timest\n{"timestamp":"2026-01-30T14:22:33.000Z","type":"note","text":"<script>eval(\\"x\\")\\n","agent":"claude"}\n',
    )
    expect(verifyProjectMemory(place).findings).toMatchObject([{ path: '.claude/sessions/working-0.jsonl', line: 1 }])
  })

  it('refuses an invalid event, and writes nothing', () => {
    const { place, files } = project()
    const before = files()
    const drafts: readonly EventDraft[] = [
      { type: 'a b', fields: {} },
      { type: 'note', fields: { agent: 'codex' } },
      { type: 'note', fields: { 'a b': 'x' } },
      { type: 'file_modified', fields: { path: '', added: 1 } },
      { type: 'file_modified', fields: { path: 'a', added: 'many' } },
    ]
    for (const draft of drafts) expect(refusalOf(() => logEvent(place, draft, 'claude')).code).toBe('invalid_input')
    for (const phase of ['../x', '/etc', 'a b', '..', ''])
      expect(refusalOf(() => logEvent(place, { type: 'note', fields: {}, phase }, 'claude')).code).toBe('invalid_name')
    expect(files()).toEqual(before)
  })

  it('refuses a file that another agent of the table owns', () => {
    const { place } = project()
    expect(refusalOf(() => logEvent(place, { type: 'verification', fields: { test: 'a' } }, 'chatgpt'))).toMatchObject({
      code: 'not_owner',
    })
    expect(refusalOf(() => logEvent(place, { type: 'file_modified', fields: { path: 'a' } }, 'chatgpt'))).toMatchObject(
      { code: 'not_owner' },
    )
    for (const agent of ['claude', 'lovable', 'backend-1', 'human'])
      logEvent(place, { type: 'file_modified', fields: { path: 'a' } }, agent)
    logEvent(place, { type: 'design_decision', fields: {} }, 'chatgpt')
    logEvent(place, { type: 'something_else', fields: {} }, 'chatgpt')
    const own = project({ owners: { tester: ['verification'], backend: ['code'] } })
    expect(refusalOf(() => logEvent(own.place, { type: 'verification', fields: {} }, 'backend'))).toMatchObject({
      code: 'not_owner',
    })
    logEvent(own.place, { type: 'verification', fields: {} }, 'tester')
  })

  it('names a corrupt file-state.json by its line, and does not change it', () => {
    const { place, files, write } = project()
    write('.claude/sessions/file-state.json', '{\n  "session": "s",\n  "files": {"a": 1}\n}\n')
    const before = files()
    expect(
      refusalOf(() => logEvent(place, { type: 'file_modified', fields: { path: 'b' } }, 'claude')).message,
    ).toMatch(/^\.claude\/sessions\/file-state\.json:3: /)
    expect(files()).toEqual(before)
  })
})

it('a line that is removed from the working log is found, and stays found', () => {
  const { place, read, write } = project()
  const path = '.claude/sessions/working-0.1.jsonl'
  for (const test of ['a', 'b', 'c'])
    logEvent(place, { type: 'verification', fields: { test }, phase: '0.1' }, 'claude')
  expect(verifyProjectMemory(place).findings).toEqual([])
  const lines = read(path).split('\n')
  const whole = read(path)
  write(path, [lines[0], ...lines.slice(2)].join('\n'))
  const cut = { path, line: 1, problem: expect.stringContaining('it was truncated') as string }
  expect(verifyProjectMemory(place).findings).toMatchObject([cut])
  logEvent(place, { type: 'verification', fields: { test: 'a much longer name than before' }, phase: '0.1' }, 'claude')
  expect(verifyProjectMemory(place).findings).toMatchObject([
    { path, line: 1, problem: expect.stringContaining('were changed; it may only grow') as string },
  ])
  write(path, whole)
  expect(verifyProjectMemory(place).findings).toEqual([])
})
