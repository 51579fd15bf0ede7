import fc from 'fast-check'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { briefFor, renderBrief } from '../../../src/memory/project-memory/brief.ts'
import { compressMemory, tokensOf } from '../../../src/memory/project-memory/compress.ts'
import { goalParts, handOff } from '../../../src/memory/project-memory/handoff.ts'
import { initProjectMemory } from '../../../src/memory/project-memory/init.ts'
import { load } from '../../../src/memory/project-memory/load.ts'
import { completePhase } from '../../../src/memory/project-memory/summary.ts'
import { queryProjectMemory } from '../../../src/memory/project-memory/query.ts'
import { appendTimeline } from '../../../src/memory/project-memory/timeline.ts'
import { logEvent } from '../../../src/memory/project-memory/working-log.ts'
import { resolutionText, resolveSubject } from '../../../src/memory/project-memory/resolve.ts'
import { verifyProjectMemory, verificationText } from '../../../src/memory/project-memory/verify.ts'
import { adrText, type Project, project, refusalOf } from './project.ts'

const summary = 'context/meta/summary.md'
const timeline = 'context/meta/timeline.md'
const state = '.claude/sessions/file-state.json'
const goal = goalParts.map((part) => `## ${part}\n- it\n`).join('\n')

/** Sets the modification time of a file, in seconds from a day in the past. */
const touch = ({ root }: Project, path: string, seconds: number): void =>
  utimesSync(join(root, path), 1_767_225_600 + seconds, 1_767_225_600 + seconds)

describe('init', () => {
  it('creates missing files, changes no existing file, and passes verify', () => {
    const own = project({ scaffold: false })
    own.write(summary, '# Mine\n')
    expect(initProjectMemory(own.place)).toEqual([
      'context/meta/timeline.md',
      'context/meta/handoff-protocol.md',
      'context/decisions/decisions-log.md',
    ])
    const files = own.files()
    expect(files[summary]).toBe('# Mine\n')
    expect(initProjectMemory(own.place)).toEqual([])
    expect(own.files()).toEqual(files)
    expect(verifyProjectMemory(own.place)).toEqual({ findings: [], warnings: [] })
    expect(refusalOf(() => verifyProjectMemory(project({ scaffold: false }).place)).code).toBe('not_found')
  })
})

describe('project memory answers the three questions of the seed', () => {
  const asked = (own: Project) => (question: string) => queryProjectMemory(own.place, question).answer

  it('which ADRs apply to a phase: from the summary', () => {
    const own = project()
    own.write(
      summary,
      '## Phase Status\n\n### Completed\n- Phase 0.1: ADR-004, ADR-005, ADR-006\n\n### Pending\n- Phase 1: None\n',
    )
    for (const question of [
      'Which ADRs apply to Phase 0.1?',
      'which adrs apply to phase 0.1',
      'adrs 0.1',
      'adrs Phase 0.1',
    ])
      expect(asked(own)(question)).toBe('ADR-004, 005, 006')
    expect(queryProjectMemory(own.place, 'adrs 0.1')).toMatchObject({ adrs: ['ADR-004', 'ADR-005', 'ADR-006'] })
    expect(asked(own)('adrs 1')).toBe('None')
    expect(refusalOf(() => asked(own)('adrs 2')).code).toBe('not_found')
  })

  it('which files were modified in the session', () => {
    const own = project()
    for (const question of ['What files were modified in current session?', 'files'])
      expect(asked(own)(question)).toBe('None')
    logEvent(own.place, { type: 'file_modified', fields: { path: 'audit.ts', added: 300 } }, 'claude')
    logEvent(own.place, { type: 'file_modified', fields: { path: 'db.ts', added: '465', removed: '0' } }, 'claude')
    logEvent(own.place, { type: 'file_modified', fields: { path: 'audit.ts', added: '19' } }, 'claude')
    expect(asked(own)('What files were modified in current session?')).toBe('audit.ts (+319), db.ts (+465)')
  })

  it('whether a decision is accepted: from the graph, or from the file without a node', () => {
    const own = project()
    own.propose('ADR-008')
    own.accepted('ADR-005')
    own.write('context/decisions/adr/ADR-001.md', adrText('ADR-001', 'Accepted'))
    expect(asked(own)('Has ADR-008 been accepted?')).toBe('No (Status: Draft)')
    expect(asked(own)('accepted ADR-005')).toBe('Yes (Status: Accepted)')
    expect(asked(own)('Has ADR-001 been accepted?')).toBe('Yes (Status: Accepted)')
    expect(asked(own)('Has ADR-099 been accepted?')).toBe('unknown')
    own.write('context/decisions/decisions-log.md', 'ADR-001 (Superseded)\n')
    expect(asked(own)('accepted 001')).toBe('No (Status: Superseded)')
  })

  it('and refuses any other question', () => {
    expect(refusalOf(() => asked(project())('Who are you?')).code).toBe('invalid_input')
    expect(refusalOf(() => asked(project())('accepted ../x')).code).toBe('invalid_name')
  })
})

describe('load', () => {
  it('at the start of a session prints exactly the summary and the hand-off rules', () => {
    const own = project()
    expect(load(own.place, 'session-start', [])).toEqual({
      files: [
        { path: summary, content: own.read(summary) },
        { path: 'context/meta/handoff-protocol.md', content: own.read('context/meta/handoff-protocol.md') },
      ],
      missing: [],
    })
    expect(refusalOf(() => load(project({ scaffold: false }).place, 'session-start', [])).code).toBe('not_found')
    const half = project({ scaffold: false })
    half.write(summary, 'x\n')
    expect(load(half.place, 'session-start', [])).toEqual({
      files: [{ path: summary, content: 'x\n' }],
      missing: ['context/meta/handoff-protocol.md'],
    })
  })

  it('prints one decision, or the hand-off to an agent', () => {
    const own = project()
    own.propose('ADR-005')
    expect(load(own.place, 'adr', ['ADR-005']).files).toEqual([
      { path: 'context/decisions/adr/ADR-005.md', content: adrText('ADR-005') },
    ])
    expect(refusalOf(() => load(own.place, 'adr', ['ADR-006'])).code).toBe('not_found')
    expect(refusalOf(() => load(own.place, 'handoff', ['chatgpt'])).code).toBe('not_found')
    handOff(own.place, { from: 'claude', to: 'chatgpt', goal }, 'claude')
    expect(load(own.place, 'handoff', ['chatgpt']).files).toEqual([
      { path: 'context/agents/chatgpt/goal.md', content: goal },
    ])
    for (const agent of ['../x', '/etc', 'a b'])
      expect(refusalOf(() => load(own.place, 'handoff', [agent])).code).toBe('invalid_name')
    expect(refusalOf(() => load(own.place, 'adr', [])).code).toBe('invalid_input')
  })
})

describe('a hand-off', () => {
  it('writes the goal, the entry and the event, and is complete with a newer summary', () => {
    const own = project()
    expect(handOff(own.place, { from: 'claude', to: 'chatgpt', goal }, 'claude')).toEqual({
      from: 'claude',
      to: 'chatgpt',
      path: 'context/agents/chatgpt/goal.md',
      missing: [],
    })
    expect(own.read('context/agents/chatgpt/goal.md')).toBe(goal)
    expect(own.read(timeline)).toContain(
      ' - claude - Hand-off to chatgpt\n- artifact: context/agents/chatgpt/goal.md\n',
    )
    expect(own.read('.claude/sessions/working-0.jsonl')).toBe(
      '{"timestamp":"2026-01-30T14:22:33.000Z","type":"handoff","from":"claude","to":"chatgpt","artifact":"context/agents/chatgpt/goal.md"}\n',
    )
    touch(own, 'context/agents/chatgpt/goal.md', 10)
    touch(own, summary, 0)
    expect(verifyProjectMemory(own.place).findings).toEqual([
      {
        path: 'context/agents/chatgpt/goal.md',
        line: 1,
        problem: `the hand-off to chatgpt is incomplete: ${summary} is not newer than the goal; update it.`,
      },
    ])
    touch(own, summary, 20)
    expect(verifyProjectMemory(own.place)).toEqual({ findings: [], warnings: [] })
  })

  it('names its missing parts', () => {
    const own = project()
    own.write('context/agents/lovable/goal.md', goal)
    touch(own, 'context/agents/lovable/goal.md', 0)
    appendTimeline(own.place, { title: 'Hand-off to codex', notes: [] }, 'claude')
    expect(verifyProjectMemory(own.place).findings.map(({ problem }) => problem)).toEqual([
      'the hand-off to codex is incomplete: its goal.md is missing.',
      'the hand-off to codex is incomplete: no working log has the event handoff.',
      `the hand-off to lovable is incomplete: ${timeline} has no entry 'Hand-off to lovable'.`,
      'the hand-off to lovable is incomplete: no working log has the event handoff.',
    ])
    appendTimeline(own.place, { title: 'Handoff: claude → lovable', notes: [] }, 'claude')
    expect(verifyProjectMemory(own.place).findings).toHaveLength(3)
  })

  it('requires its own agent, and names the missing sections of its goal', () => {
    const own = project()
    expect(refusalOf(() => handOff(own.place, { from: 'claude', to: 'chatgpt', goal }, 'lovable')).code).toBe(
      'not_owner',
    )
    expect(handOff(own.place, { from: 'claude', to: 'chatgpt', goal: '## Context\nx\n' }, 'human').missing).toEqual([
      'Current state',
      'Open question',
      'Constraints',
      'Success criteria',
    ])
    for (const to of ['../x', '/etc', 'a b', 'human'])
      expect(['invalid_name', 'reserved_name']).toContain(
        refusalOf(() => handOff(own.place, { from: 'claude', to, goal }, 'claude')).code,
      )
  })
})

describe('the completion of a phase', () => {
  it('keeps the lines of its working log', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 6 }), fc.boolean(), (notes, torn) => {
        const own = project()
        own.write(summary, '## Phase Status\n### Completed\n### In Progress\n- Phase 0.1: ADR-004\n')
        for (const note of notes) logEvent(own.place, { type: 'note', fields: { note } }, 'claude')
        if (torn)
          own.write(
            '.claude/sessions/working-0.1.jsonl',
            `${own.has('.claude/sessions/working-0.1.jsonl') ? own.read('.claude/sessions/working-0.1.jsonl') : ''}{"torn`,
          )
        const before = own.files()['.claude/sessions/working-0.1.jsonl']
        const done = completePhase(own.place, '0.1')
        expect(own.has('.claude/sessions/working-0.1.jsonl')).toBe(false)
        expect(done.lines).toBe(notes.length + (torn ? 1 : 0))
        if (done.archive !== null) expect(own.files()[done.archive]).toBe(before)
        expect(own.read(summary)).toBe('## Phase Status\n### Completed\n- Phase 0.1: ADR-004\n### In Progress\n')
      }),
      { numRuns: 30 },
    )
  })

  it('at the same moment as another keeps both logs, and is refused without anything to complete', () => {
    const own = project()
    const logged = () => logEvent(own.place, { type: 'note', fields: {}, phase: '7' }, 'claude')
    logged()
    const first = completePhase(own.place, '7').archive
    logged()
    expect(completePhase(own.place, '7').archive).not.toBe(first)
    expect(refusalOf(() => completePhase(own.place, '7')).code).toBe('not_found')
    expect(briefFor(own.place, 'claude').actions).toHaveLength(2)
  })
})

describe('the compression', () => {
  const details = '- read audit.ts\n- wrote db.ts\n  in two steps\nand more\n'

  it('counts a quarter of the characters, rounded up, and starts above 140,000 tokens', () => {
    expect([tokensOf(''), tokensOf('abcd'), tokensOf('abcde'), tokensOf('🦀🦀🦀🦀')]).toEqual([0, 1, 2, 1])
    const own = project()
    const before = own.files()
    expect(compressMemory(own.place, { tokens: 140_000, summary: 'x', details }, 'claude')).toEqual({
      compressed: false,
      tokens: 140_000,
      context: null,
      archived: [],
    })
    expect(
      compressMemory(own.place, { context: 'x'.repeat(560_000), summary: 'x', details }, 'claude').compressed,
    ).toBe(false)
    expect(own.files()).toEqual(before)
    expect(compressMemory(own.place, { context: 'x'.repeat(560_001), summary: 'x', details }, 'claude')).toMatchObject({
      compressed: true,
      tokens: 140_001,
    })
    expect(
      compressMemory(own.place, { tokens: 140_001, context: '', summary: 'x', details }, 'claude').compressed,
    ).toBe(true)
  })

  it('moves the details to the timeline, replaces the summary, keeps the file state byte for byte, and loads only the summary', () => {
    const own = project()
    logEvent(own.place, { type: 'file_modified', fields: { path: 'audit.ts', added: 319 } }, 'claude')
    const before = own.files()
    const done = compressMemory(own.place, { tokens: 150_000, summary: '# New\n', details }, 'claude')
    expect(done).toMatchObject({ compressed: true, context: '# New\n' })
    const after = own.files()
    expect(after[timeline]).toBe(
      `${before[timeline]}\n## 2026-01-30T14:22:33.000Z - claude - Context compressed\n- read audit.ts\n- wrote db.ts\n  in two steps\n- and more\n`,
    )
    expect(after[summary]).toBe('# New\n')
    expect(after[state]).toBe(before[state])
    expect(done.archived.map((path) => after[path])).toEqual([before[summary], before[state]])
  })

  it('that fails keeps the files that were not yet replaced', () => {
    const own = project()
    own.write(state, '{}')
    own.write('.claude/sessions/archive/x', '')
    const before = own.files()
    const place = { ...own.place, clock: () => '/no/such/folder' }
    expect(() => compressMemory(place, { tokens: 150_000, summary: '# New\n', details }, 'claude')).toThrow()
    const after = own.files()
    expect(after[timeline]!.startsWith(before[timeline]!)).toBe(true)
    expect([after[summary], after[state]]).toEqual([before[summary], before[state]])
    expect(refusalOf(() => compressMemory(own.place, { tokens: 150_000, summary: ' ', details }, 'claude')).code).toBe(
      'invalid_input',
    )
  })
})

describe('the resolution of a conflict', () => {
  const draft = (value: string): string => `${adrText('ADR-003')}\n- Storage: ${value}\n`

  it('prefers the highest of five ranks, and names both sources of every conflict', () => {
    const own = project()
    const said = () => resolutionText(resolveSubject(own.place, 'storage')).split('\n')
    own.propose('ADR-003', 'chatgpt', draft('a file'))
    expect(said()).toEqual(['a file'])
    own.write('.claude/sessions/2026-01-30.md', '# Log\n* storage: Redis\n')
    expect(said()).toEqual([
      'Redis',
      'conflict: .claude/sessions/2026-01-30.md:2 (rank 4) says "Redis", context/decisions/adr/ADR-003.md:16 (rank 5) says "a file"; the first one takes precedence.',
    ])
    appendTimeline(own.place, { title: 'Storage', notes: ['**Storage**: MySQL'] }, 'chatgpt')
    expect(said()[0]).toBe('MySQL')
    own.propose('ADR-004', 'chatgpt', draft('SQLite').replace('ADR-003', 'ADR-004'))
    own.accepted('ADR-005')
    expect(said()).toHaveLength(4)
    own.write(summary, '- STORAGE: sqlite\n')
    const { answer, conflicts } = resolveSubject(own.place, ' Storage ')
    expect(answer).toEqual({ rank: 1, path: summary, line: 1, value: 'sqlite' })
    expect(conflicts.map(({ against }) => [against.rank, against.value])).toEqual([
      [3, 'MySQL'],
      [4, 'Redis'],
      [5, 'a file'],
    ])
  })

  it('prefers an accepted decision to the timeline, and ignores a superseded one', () => {
    const own = project()
    own.write('context/decisions/adr/ADR-001.md', `${adrText('ADR-001', 'Accepted')}\n- storage: SQLite\n`)
    appendTimeline(own.place, { title: 'x', notes: ['storage: MySQL'] }, 'claude')
    expect(resolveSubject(own.place, 'storage').answer).toMatchObject({ rank: 2, value: 'SQLite' })
    own.write('context/decisions/decisions-log.md', 'ADR-001 (Superseded)\n')
    expect(resolveSubject(own.place, 'storage')).toMatchObject({ answer: { rank: 3, value: 'MySQL' }, conflicts: [] })
    expect(refusalOf(() => resolveSubject(own.place, 'weather')).code).toBe('not_found')
  })

  it("prefers the owner's entry in the timeline, or else the last entry", () => {
    const own = project()
    appendTimeline(own.place, { title: 'x', notes: ['verification: passed', 'editor: vim'] }, 'claude')
    appendTimeline(own.place, { title: 'y', notes: ['verification: failed', 'editor: emacs'] }, 'lovable')
    expect(resolveSubject(own.place, 'verification').answer.value).toBe('passed')
    expect(resolveSubject(own.place, 'editor').answer.value).toBe('emacs')
  })
})

describe('the brief', () => {
  const task = {
    id: 7,
    title: 'Chain hashes',
    description: 'As ADR-005 says.',
    status: 'in_progress',
    acceptanceCriteria: [{ text: 'tests pass', met: false }],
  }

  it('has the task, the last ten actions, the active decisions and the open verifications', () => {
    const own = project()
    own.accepted('ADR-005')
    own.propose('ADR-006')
    for (let n = 1; n <= 12; n++) logEvent(own.place, { type: 'note', fields: { n } }, 'backend-1')
    logEvent(own.place, { type: 'note', fields: {} }, 'backend-2')
    logEvent(own.place, { type: 'verification', fields: { test: 'hash-chain', status: 'FAILED' } }, 'backend-1')
    logEvent(own.place, { type: 'verification', fields: { test: 'unit', status: 'PASSED' } }, 'backend-1')
    const brief = briefFor(own.place, 'backend-1', {
      task,
      attempts: [
        { attempt: 1, outcome: 'failed', error: 'no compiler' },
        { attempt: 2, outcome: null, error: null },
      ],
      blockers: ['no account'],
      keyFacts: ['port 5433'],
    })
    expect(brief).toMatchObject({
      agent: 'backend-1',
      task: { id: 7 },
      verification: ['tests pass', 'hash-chain (last: FAILED)'],
      decisions: [{ id: 'ADR-005', title: 'Keep a chain of hashes', constraints: ['Offline first', 'No network'] }],
      attempts: [{ attempt: 1, error: 'no compiler' }],
    })
    expect(brief.actions.map(({ type, n }) => [type, n])).toEqual([
      ...[5, 6, 7, 8, 9, 10, 11, 12].map((n) => ['note', n]),
      ['verification', undefined],
      ['verification', undefined],
    ])
    const { text, leftOut } = renderBrief(brief)
    expect(leftOut).toEqual([])
    for (const part of [
      '7. Chain hashes (in_progress)',
      '- [ ] tests pass',
      '- no account',
      '- ADR-005: Keep a chain of hashes\n  - Offline first',
      '- Attempt 1 ended failed: no compiler',
      '- port 5433',
      'note n=12',
    ])
      expect(text).toContain(part)
  })

  it('stays within its tokens, and names the omitted parts', () => {
    const own = project()
    for (let n = 1; n <= 10; n++)
      logEvent(own.place, { type: 'note', fields: { text: `${n} ${'long '.repeat(200)}` } }, 'backend-1')
    const brief = briefFor(own.place, 'backend-1', {
      task,
      keyFacts: Array.from({ length: 200 }, (_, n) => `fact ${n}`),
    })
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 3000 }), (budget) => {
        const { text, tokens, leftOut } = renderBrief(brief, budget)
        expect(tokens).toBeLessThanOrEqual(budget)
        if (leftOut.length > 0) expect(text.split('\n').at(-1)).toBe(`Left out for size: ${leftOut.join('; ')}.`)
        expect(text).toContain('7. Chain hashes')
      }),
    )
    expect(renderBrief(brief, 500).leftOut).toEqual([
      expect.stringMatching(/^\d of 10 last actions$/),
      expect.stringMatching(/^1\d\d of 200 key facts$/),
    ])
    const wordy = {
      ...brief,
      task: { ...task, description: 'as the decision says\n'.repeat(2000) },
      blockers: ['no account'],
    }
    expect(renderBrief(wordy).text).toContain('- no account')
    expect(renderBrief(wordy).leftOut[0]).toMatch(/ of 2001 lines of the task$/)
  })

  it('is printed despite unreadable files, and names them', () => {
    const own = project()
    own.write('.claude/sessions/working-0.jsonl', '{"torn\n')
    own.write('context/decisions/decisions-log.md', 'ADR-1 (Fine)\n')
    logEvent(own.place, { type: 'note', fields: {} }, 'backend-1')
    const brief = briefFor(own.place, 'backend-1')
    expect(brief.actions).toHaveLength(1)
    expect(brief.problems).toEqual([
      expect.stringMatching(/^\.claude\/sessions\/working-0\.jsonl:1: /),
      "context/decisions/decisions-log.md:1: 'Fine' is not a status; write Draft, Accepted or Superseded.",
    ])
    expect(renderBrief(briefFor(project().place, 'backend-1')).text).toBe('')
    expect(renderBrief(briefFor(project().place, 'claude')).text).toBe(
      '## You own\n- verification, implementation-history, context-health',
    )
  })
})

describe('verify', () => {
  it('prints file:line, with warnings separate', () => {
    const own = project()
    own.write(
      '.claude/sessions/working-0.jsonl',
      '{"timestamp":"2099-01-01","type":"note"}\n{"timestamp":"2026-01-04","type":"verification","agent":"chatgpt"}\nx\n',
    )
    own.write(
      state,
      '{\n  "session": "s",\n  "files": {\n    "a": {"added": 1, "removed": 0, "modified_at": "2099-01-01"}\n  }\n}\n',
    )
    own.write(timeline, '# Timeline\n\n## broken\n')
    expect(verificationText(verifyProjectMemory(own.place)).split('\n')).toEqual([
      `${timeline}:3: '## broken' is not an entry; write ## <time> - <agent> - <title>.`,
      expect.stringMatching(/^\.claude\/sessions\/working-0\.jsonl:3: it is not valid JSON/),
      '.claude/sessions/working-0.jsonl:1: 2099-01-01 is in the future.',
      `${state}:4: 2099-01-01 is in the future.`,
      'warning: .claude/sessions/working-0.jsonl:2: chatgpt wrote an event verification, which claude owns.',
    ])
    own.write('context/meta/integrity.json', '{"adrs": []}')
    expect(verifyProjectMemory(own.place).findings[0]).toMatchObject({ path: 'context/meta/integrity.json', line: 1 })
  })

  it('reports a missing summary as an error, missing rules as a warning, and bytes that are not text by their line', () => {
    const own = project({ scaffold: false })
    own.write(timeline, '# Timeline\n')
    expect(verifyProjectMemory(own.place)).toMatchObject({
      findings: [{ path: summary, line: 1 }],
      warnings: [{ path: 'context/meta/handoff-protocol.md', line: 1 }],
    })
    own.write(summary, 'a\nb\0\n')
    expect(verifyProjectMemory(own.place).findings).toEqual([
      { path: summary, line: 2, problem: 'there is a NUL character, so this is not text.' },
    ])
  })
})
