import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listAdrs, showAdr } from '../../../src/memory/project-memory/adrs.ts'
import { briefFor } from '../../../src/memory/project-memory/brief.ts'
import { compressMemory } from '../../../src/memory/project-memory/compress.ts'
import { acceptAdr, linkAdrs, proposeAdr } from '../../../src/memory/project-memory/decisions.ts'
import { handOff } from '../../../src/memory/project-memory/handoff.ts'
import { initProjectMemory } from '../../../src/memory/project-memory/init.ts'
import { load } from '../../../src/memory/project-memory/load.ts'
import { completePhase } from '../../../src/memory/project-memory/summary.ts'
import { queryProjectMemory } from '../../../src/memory/project-memory/query.ts'
import { appendTimeline } from '../../../src/memory/project-memory/timeline.ts'
import { logEvent } from '../../../src/memory/project-memory/working-log.ts'
import { resolveSubject } from '../../../src/memory/project-memory/resolve.ts'
import { verifyProjectMemory } from '../../../src/memory/project-memory/verify.ts'
import { temporaryFolder } from '../../support/core.ts'
import { adrText, project, refusalOf } from './project.ts'

const adr = (id: string): string => `context/decisions/adr/${id}.md`
const decisions = 'context/decisions/decisions-log.md'
const timeline = 'context/meta/timeline.md'
const summary = 'context/meta/summary.md'
const ledger = 'context/meta/integrity.json'
const state = '.claude/sessions/file-state.json'

describe('a path that is not a plain file', () => {
  const kinds: readonly (readonly [string, (path: string) => void])[] = [
    ['a link', (path) => symlinkSync('/etc/passwd', path)],
    ['a link that leads nowhere', (path) => symlinkSync('/nonexistent/x', path)],
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
    ['a folder', (path) => mkdirSync(path)],
  ]

  it.each(kinds)('in the place of a decision is refused and found: %s', (_, make) => {
    const { place, root, propose, read } = project()
    make(join(root, adr('ADR-007')))
    const known = read(ledger)
    for (const work of [
      () => listAdrs(place),
      () => showAdr(place, 'ADR-007'),
      () => propose('ADR-007'),
      () => acceptAdr(place, 'ADR-007', 'claude'),
    ])
      expect(refusalOf(work)).toMatchObject({
        code: 'file_unreadable',
        message: expect.stringContaining('ADR-007.md') as string,
      })
    expect(verifyProjectMemory(place).findings).toMatchObject([{ path: adr('ADR-007') }])
    // A draft that was never written leaves no trace.
    expect(read(ledger)).toBe(known)
  })

  it.each(kinds)('in the place of a working log is named, and the other logs are kept: %s', (_, make) => {
    const { place, root } = project()
    logEvent(place, { type: 'note', fields: {}, phase: '0.1' }, 'backend')
    make(join(root, '.claude/sessions/working-0.2.jsonl'))
    expect(refusalOf(() => logEvent(place, { type: 'note', fields: {}, phase: '0.2' }, 'backend')).message).toContain(
      'working-0.2.jsonl',
    )
    expect(verifyProjectMemory(place).findings).toMatchObject([{ path: '.claude/sessions/working-0.2.jsonl' }])
    const { actions, problems } = briefFor(place, 'backend')
    expect(actions).toMatchObject([{ type: 'note' }])
    expect(problems).toEqual([expect.stringContaining('working-0.2.jsonl')])
  })

  it.each(kinds)('in the place of the lock is refused, and nothing is written: %s', (_, make) => {
    const { place, root, files } = project()
    rmSync(join(root, '.claude/sessions/.lock'))
    const before = files()
    make(join(root, '.claude/sessions/.lock'))
    expect(refusalOf(() => appendTimeline(place, { title: 'a', notes: [] }, 'claude'))).toEqual({
      code: 'not_writable',
      message: `${join(root, '.claude/sessions/.lock')} is not a regular file, so nothing is written here. Remove it.`,
    })
    rmSync(join(root, '.claude/sessions/.lock'), { recursive: true })
    expect(files()).toEqual(before)
  })

  it.each(kinds)('in the place of a file of init is refused: %s', (_, make) => {
    for (const path of [summary, timeline, decisions]) {
      const { place, root } = project({ scaffold: false })
      mkdirSync(join(root, path, '..'), { recursive: true })
      make(join(root, path))
      expect(refusalOf(() => initProjectMemory(place)).message).toContain(path)
    }
  })

  it("in the place of the agents' folder is refused with a sentence if it is a link to itself", () => {
    const { place, root } = project()
    rmSync(join(root, 'context/agents'), { recursive: true })
    symlinkSync('agents', join(root, 'context/agents'))
    expect(verifyProjectMemory(place).findings).toMatchObject([
      { path: 'context/agents', problem: expect.stringContaining('is a symbolic link') as string },
    ])
    expect(refusalOf(() => handOff(place, { from: 'claude', to: 'chatgpt', goal: '# x' }, 'claude')).code).toBe(
      'outside_worktree',
    )
  })
})

describe('a decision', () => {
  it('with a broken file does not prevent questions about other decisions, and its constraints stay in the brief', () => {
    const { place, write, propose, accepted } = project()
    accepted('ADR-001')
    propose('ADR-002')
    write(adr('ADR-003'), 'no title\n')
    expect(queryProjectMemory(place, 'Has ADR-001 been accepted?').answer).toBe('Yes (Status: Accepted)')
    expect(queryProjectMemory(place, 'accepted ADR-002').answer).toBe('No (Status: Draft)')
    expect(queryProjectMemory(place, 'accepted ADR-009').answer).toBe('unknown')
    expect(refusalOf(() => queryProjectMemory(place, 'accepted ADR-003')).message).toMatch(
      /^context\/decisions\/adr\/ADR-003\.md:1: /,
    )
    const { decisions: active, problems } = briefFor(place, 'claude')
    expect(active).toMatchObject([{ id: 'ADR-001', constraints: ['Offline first', 'No network'] }])
    expect(problems).toEqual([expect.stringContaining('ADR-003.md:1: ')])
  })

  it('with a node is looked up only in the graph, as in the seed', () => {
    const { place, write } = project()
    write(decisions, 'ADR-008 (Draft)\n')
    write(adr('ADR-008'), 'no title\n')
    expect(queryProjectMemory(place, 'Has ADR-008 been accepted?').answer).toBe('No (Status: Draft)')
  })

  it('with two files is represented by the file with its id', () => {
    for (const other of ['ADR-001_old.md', 'ADR-001-old.md', 'adr-001 copy.md']) {
      const { place, write, accepted } = project()
      accepted('ADR-001')
      write(`context/decisions/adr/${other}`, adrText('ADR-001').replace('Keep a chain of hashes', 'Another title'))
      expect(listAdrs(place)).toMatchObject([{ path: adr('ADR-001'), title: 'Keep a chain of hashes' }])
      expect(showAdr(place, 'ADR-001').path).toBe(adr('ADR-001'))
      const { findings } = verifyProjectMemory(place)
      expect(findings).toMatchObject([
        { path: `context/decisions/adr/${other}`, problem: expect.stringContaining('keep one') as string },
      ])
    }
  })

  it('may have a file name in another case', () => {
    const { place, root, read, propose } = project()
    propose('ADR-001')
    renameSync(join(root, adr('ADR-001')), join(root, adr('adr-001')))
    acceptAdr(place, 'adr-001', 'claude')
    expect(read(adr('adr-001'))).toContain('Accepted')
    expect(readdirSync(join(root, 'context/decisions/adr'))).toEqual(['adr-001.md'])
    expect(verifyProjectMemory(place).findings).toEqual([])
  })

  it('with Windows line ends changes only in its status, and only once', () => {
    const { place, read, write } = project()
    const text = `\ufeff${adrText('ADR-001')}`.replaceAll('\n', '\r\n')
    write(adr('ADR-001'), text)
    write(decisions, '\ufeff# Decisions\r\n\r\nADR-001 (Draft)\r\n  └─ unknown: line\r\n')
    acceptAdr(place, 'ADR-001', 'claude')
    expect(read(adr('ADR-001'))).toBe(text.replace('Draft', 'Accepted'))
    expect(read(decisions)).toBe('\ufeff# Decisions\r\n\r\nADR-001 (Accepted)\r\n  └─ unknown: line\r\n')
    expect(verifyProjectMemory(place)).toEqual({ findings: [], warnings: [] })
    expect(refusalOf(() => acceptAdr(place, 'ADR-001', 'claude')).code).toBe('invalid_state')
    write(adr('ADR-001'), read(adr('ADR-001')).replaceAll('\r\n', '\n'))
    expect(verifyProjectMemory(place).findings).toMatchObject([{ path: adr('ADR-001') }])
  })

  it('that is too large is refused before anything is recorded about it', () => {
    const { place, files } = project()
    const before = files()
    expect(
      refusalOf(() =>
        proposeAdr(place, { id: 'ADR-001', text: `${adrText('ADR-001')}${'x'.repeat(1 << 20)}` }, 'chatgpt'),
      ).message,
    ).toContain('at most 1048576 are read')
    expect(files()).toEqual({ ...before, '.claude/sessions/.lock': files()['.claude/sessions/.lock'] })
  })
})

it('a hand-made cycle is reported unchanged when other decisions are linked', () => {
  const { place, read, accepted, write } = project()
  accepted('ADR-001')
  accepted('ADR-002')
  write(
    decisions,
    `${read(decisions)}\nADR-020 (Draft)\n  └─ depends_on: ADR-021\n\nADR-021 (Draft)\n  └─ depends_on: ADR-020\n`,
  )
  const before = read(decisions)
  expect(refusalOf(() => linkAdrs(place, { from: 'ADR-001', key: 'depends_on', to: 'ADR-002' }, 'claude'))).toEqual({
    code: 'dependency_cycle',
    message: `Decisions already depend on each other in a cycle: ADR-020 → ADR-021 → ADR-020 in ${decisions}; remove one of its edges first.`,
  })
  expect(read(decisions)).toBe(before)
})

describe('the timeline', () => {
  it('never accepts a text that would make it unreadable', () => {
    const { place, files } = project()
    const before = files()
    for (const [title, notes] of [
      ['a\0b', []],
      ['a', ['b\0c']],
    ] as const)
      expect(refusalOf(() => appendTimeline(place, { title, notes }, 'claude'))).toEqual({
        code: 'invalid_input',
        message: 'A text must not contain NUL characters.',
      })
    expect(files()).toEqual(before)
  })

  it('accepts every other character, and reads back what was written', () => {
    const { place, read } = project()
    const odd = '\u0001\u001b[31m\u0085\u2028\ud800é😀\u202e'
    appendTimeline(place, { title: `t${odd}t`, notes: [`- ${odd}`, '-x', '## 2026-01-01 - x - y', '```'] }, 'claude')
    appendTimeline(place, { title: 'after', notes: [] }, 'claude')
    expect(verifyProjectMemory(place).findings).toEqual([])
    expect(read(timeline).match(/^## /gm)).toHaveLength(2)
  })

  it('does not grow beyond the limit of reading', () => {
    const { place, root } = project()
    truncateSync(join(root, timeline), 64 * 1024 * 1024 - 10)
    const work = () => appendTimeline(place, { title: 'one too many', notes: [] }, 'claude')
    expect(refusalOf(work)).toEqual({
      code: 'not_writable',
      message: `${join(root, timeline)} would have more than 64 MB, so nothing was added; move it away.`,
    })
    expect(refusalOf(work).code).toBe('not_writable')
  })
})

it('a failed copy leaves no half of a file in the archive', () => {
  const { place, root, read } = project()
  const archive = join(root, '.claude/sessions/archive')
  rmSync(archive, { recursive: true })
  writeFileSync(archive, 'mine')
  const before = read(summary)
  expect(refusalOf(() => compressMemory(place, { summary: '# new', details: '- x' }, 'claude')).message).toContain(
    'archive is not a folder',
  )
  logEvent(place, { type: 'note', fields: {}, phase: '0' }, 'claude')
  expect(refusalOf(() => completePhase(place, '0')).message).toContain('archive is not a folder')
  expect(read(summary)).toBe(before)
  expect(read('.claude/sessions/archive')).toBe('mine')
  expect(existsSync(join(root, '.claude/sessions/working-0.jsonl'))).toBe(true)
})

it('a summary with Windows line ends keeps them when a phase is completed', () => {
  const { place, read, write } = project()
  const text =
    '\ufeff# S\r\n\r\n## Phase Status\r\n### Completed\r\n### In Progress\r\n- Phase 1: ADR-001\r\n## Other\r\n- x\r\n'
  write(summary, text)
  completePhase(place, '1')
  expect(read(summary)).toBe(
    '\ufeff# S\r\n\r\n## Phase Status\r\n### Completed\r\n- Phase 1: ADR-001\r\n### In Progress\r\n## Other\r\n- x\r\n',
  )
})

describe('file-state.json', () => {
  it('keeps numbers that JavaScript cannot represent', () => {
    const { place, read, write } = project()
    write(
      state,
      '{"session":"s","files":{"a.ts":{"added":1,"removed":0,"modified_at":"2026-01-01T00:00:00Z","size":12345678901234567890}},"pid":1e400}',
    )
    logEvent(place, { type: 'file_modified', fields: { path: 'a.ts', added: 2 } }, 'claude')
    expect(read(state)).toContain('"size": 12345678901234567890')
    expect(read(state)).toContain('"pid": 1e400')
    expect(queryProjectMemory(place, 'files').answer).toBe('a.ts (+3)')
  })

  it('names each file with a future time by its line', () => {
    const { place, write } = project()
    const change = (at: string) => ({ added: 1, removed: 0, modified_at: at })
    write(
      state,
      JSON.stringify(
        {
          session: 's',
          files: {
            'a.ts': change('2026-01-01T00:00:00Z'),
            'b.ts': change('2999-01-01T00:00:00Z'),
            'c.ts': change('soon'),
          },
        },
        null,
        2,
      ),
    )
    expect(verifyProjectMemory(place).findings).toEqual([
      { path: state, line: 9, problem: '2999-01-01T00:00:00Z is in the future.' },
      { path: state, line: 14, problem: 'modified_at of c.ts is not a time.' },
    ])
  })
})

it('a question as long as a book is refused before it is parsed', () => {
  const { place } = project()
  expect(refusalOf(() => queryProjectMemory(place, `${'?'.repeat(900_000)}x`))).toEqual({
    code: 'invalid_input',
    message: 'The question must have at most 500 characters.',
  })
})

describe('verify', () => {
  it('ignores a write that is in progress', () => {
    const { place, read, write, propose } = project()
    propose('ADR-001')
    const [before, graph] = [read(ledger), read(decisions)]
    acceptAdr(place, 'ADR-001', 'claude')
    const [after, drawn] = [read(ledger), read(decisions)]
    // An intermediate state: the file is new, and the ledger was read before.
    write(ledger, before)
    write(decisions, graph)
    expect(verifyProjectMemory({ ...place, lock: (_, work) => work() }).findings.length).toBeGreaterThan(0)
    let waited = 0
    const whenItEnds = <T>(_: string, work: () => T): T => {
      waited += 1
      write(ledger, after)
      write(decisions, drawn)
      return work()
    }
    expect(verifyProjectMemory({ ...place, lock: whenItEnds })).toEqual({ findings: [], warnings: [] })
    expect(waited).toBe(1)
  })

  it('creates nothing, even if something is wrong', () => {
    const { place, root, files } = project()
    rmSync(join(root, summary))
    rmSync(join(root, '.claude'), { recursive: true })
    const before = files()
    expect(verifyProjectMemory(place).findings).toMatchObject([{ path: summary }])
    expect(files()).toEqual(before)
  })
})

it('bytes that are not text are named by file and line by every reader, and are kept', () => {
  const { place, root } = project()
  const path = join(root, summary)
  writeFileSync(path, Buffer.from('# S\n## Phase Status\n### Completed\n- Phase \xff: ADR-001\n', 'latin1'))
  const before = readFileSync(path)
  const sentence = `${summary}:4: there is a byte that is not UTF-8; write the file as UTF-8.`
  for (const work of [
    () => queryProjectMemory(place, 'adrs 1'),
    () => load(place, 'session-start', []),
    () => resolveSubject(place, 'storage'),
    () => completePhase(place, '1'),
    () => logEvent(place, { type: 'note', fields: {} }, 'claude'),
  ])
    expect(refusalOf(work).message).toBe(sentence)
  expect(verifyProjectMemory(place).findings).toEqual([
    { path: summary, line: 4, problem: sentence.slice(summary.length + 4) },
  ])
  expect(readFileSync(path)).toEqual(before)
})

it('a session log that is not a plain file is refused, and others are read by age', () => {
  const { place, root, write } = project()
  write('.claude/sessions/a.md', '- storage: old\n')
  write('.claude/sessions/b.md', '- storage: new\n')
  utimesSync(join(root, '.claude/sessions/a.md'), 1, 1)
  expect(resolveSubject(place, 'storage')).toMatchObject({
    answer: { value: 'new', rank: 4 },
    conflicts: [{ against: { value: 'old' } }],
  })
  symlinkSync(join(temporaryFolder(), 'x'), join(root, '.claude/sessions/c.md'))
  expect(refusalOf(() => resolveSubject(place, 'storage')).message).toContain('c.md is a symbolic link')
})
