import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adrStatuses, parseAdr, withStatus } from '../../../src/memory/project-memory/adr-file.ts'
import {
  cycleIn,
  type DecisionLog,
  edgeKeys,
  edgesOf,
  parseDecisionLog,
  renderDecisionLog,
  targetsOf,
  withEdge,
  withNode,
} from '../../../src/memory/project-memory/decision-graph.ts'
import {
  changesLine,
  parseFileState,
  parseWorkingLog,
  renderEvent,
  renderFileState,
  withChange,
} from '../../../src/memory/project-memory/working-log.ts'
import { goalParts, missingParts, parseGoal } from '../../../src/memory/project-memory/handoff.ts'
import { momentOf, parseTimeline, renderEntry, renderTimeline } from '../../../src/memory/project-memory/timeline.ts'
import { parsePhases, withPhaseCompleted } from '../../../src/memory/project-memory/summary.ts'
import { problem } from '../problem.ts'
import { line, lines, mess } from '../session-files/values.ts'
import { adrText } from './project.ts'

const runs = { numRuns: 300 }
const agent = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,10}$/)
const id = fc.integer({ min: 1, max: 99 }).map((n) => `ADR-${String(n).padStart(3, '0')}`)
const at = fc.constantFrom('2026-01-04T01:05Z', '2026-01-04T01:05:33.000Z', '2026-01-04')

/** An example with disorder in several places. */
const disturbed = (example: string): fc.Arbitrary<string> =>
  fc.array(fc.tuple(fc.nat({ max: example.split('\n').length }), mess), { maxLength: 4 }).map((added) => {
    const all = example.split('\n')
    for (const [at, text] of added) all.splice(at, 0, text)
    return all.join('\n')
  })

const timelineExample = `# Timeline

## 2026-01-04T01:05:00.000Z - claude - Hash chain verified
- 319 lines in audit.ts
- all tests pass
  on both machines

## 2026-01-04T01:30Z - chatgpt - Phase 0.1 - planned
`

describe('timeline.md', () => {
  it('has entries with time, agent, title and bullets', () => {
    expect(
      parseTimeline(timelineExample).entries.map(({ at, agent, title, notes, line }) => ({
        at,
        agent,
        title,
        notes,
        line,
      })),
    ).toEqual([
      {
        at: '2026-01-04T01:05:00.000Z',
        agent: 'claude',
        title: 'Hash chain verified',
        notes: ['319 lines in audit.ts', 'all tests pass\non both machines'],
        line: 3,
      },
      { at: '2026-01-04T01:30Z', agent: 'chatgpt', title: 'Phase 0.1 - planned', notes: [], line: 8 },
    ])
  })

  it('reads back what an entry says, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ at, agent, title: line, notes: fc.array(lines, { maxLength: 3 }) }), { maxLength: 4 }),
        (entries) => {
          const { entries: read, problems } = parseTimeline(
            `# Timeline\n${entries.map((entry) => `\n${renderEntry(entry)}`).join('')}`,
          )
          expect(read.map(({ at, agent, title, notes }) => ({ at, agent, title, notes }))).toEqual(entries)
          expect(problems).toEqual([])
        },
      ),
      runs,
    )
  })

  it('is written back byte for byte', () => {
    fc.assert(
      fc.property(disturbed(timelineExample), (text) => void expect(renderTimeline(parseTimeline(text))).toBe(text)),
      runs,
    )
  })

  it('names headings that are not entries, except in a fence, and no fence swallows an entry', () => {
    expect(
      parseTimeline('## yesterday - claude - x\n## 2026-01-04 - a b - x\n## 2026-02-31 - claude - x\n##  Nothing')
        .problems,
    ).toEqual([
      { line: 1, problem: "'yesterday' is not a time; write it like 2026-01-04T01:05:00.000Z." },
      { line: 2, problem: "'## 2026-01-04 - a b - x' is not an entry; write ## <time> - <agent> - <title>." },
      { line: 3, problem: "'2026-02-31' is not a time; write it like 2026-01-04T01:05:00.000Z." },
      { line: 4, problem: "'##  Nothing' is not an entry; write ## <time> - <agent> - <title>." },
    ])
    const fenced = parseTimeline('```\n## no entry\n## 2026-01-04 - claude - an entry\n## neither\n')
    expect([fenced.entries.length, fenced.problems.map(({ line }) => line)]).toEqual([1, [4]])
  })
})

const logExample = `# Decisions Log

What was decided.

ADR-004 (Accepted)
  ├─ supersedes: None
  ├─ superseded_by: None
  └─ blocks: ADR-005 (dependency)

ADR-005 (Accepted)
  ├─ depends_on: ADR-004
  ├─ extends: ADR-004 (verification layer)
  ├─ reviewed_by: bob
  └─ blocks: ADR-008 (Phase 1 needs 0.1 complete)
A line of its own.
`

const graph: fc.Arbitrary<DecisionLog> = fc.record({
  head: fc.constantFrom([''], ['# Decisions Log', '']),
  nodes: fc.uniqueArray(
    fc.record({
      id,
      status: fc.constantFrom(...adrStatuses),
      line: fc.constant(0),
      body: fc
        .array(
          fc.record({
            key: fc.constantFrom(...edgeKeys),
            targets: fc.array(
              fc.record({ id, note: fc.option(fc.constantFrom('dependency', 'a, b', 'x: y'), { nil: null }) }),
              { maxLength: 3 },
            ),
            line: fc.constant(0),
          }),
          { maxLength: 4 },
        )
        .map((edges) => [...edges, '']),
    }),
    { maxLength: 5, selector: (node) => node.id },
  ),
})

const withoutLines = ({ head, nodes }: DecisionLog): unknown => ({
  head,
  nodes: nodes.map(({ body, ...node }) => ({
    ...node,
    line: 0,
    body: body.map((one) => (typeof one === 'string' ? one : { ...one, line: 0 })),
  })),
})

describe('decisions-log.md', () => {
  it('contains the graph of the seed, with unknown lines', () => {
    const log = parseDecisionLog(logExample, 'f')
    expect(log.nodes.map(({ id, status }) => [id, status])).toEqual([
      ['ADR-004', 'Accepted'],
      ['ADR-005', 'Accepted'],
    ])
    expect(edgesOf(log.nodes[1]!).map(({ key, targets }) => [key, targets])).toEqual([
      ['depends_on', [{ id: 'ADR-004', note: null }]],
      ['extends', [{ id: 'ADR-004', note: 'verification layer' }]],
      ['blocks', [{ id: 'ADR-008', note: 'Phase 1 needs 0.1 complete' }]],
    ])
    expect(targetsOf(log.nodes[0]!, 'supersedes')).toEqual([])
    expect(renderDecisionLog(log)).toBe(logExample)
  })

  it('reads back the graph that was written', () => {
    fc.assert(
      fc.property(
        graph,
        (log) => void expect(withoutLines(parseDecisionLog(renderDecisionLog(log), 'f'))).toEqual(withoutLines(log)),
      ),
      runs,
    )
  })

  it('reads the same after it is written back, and loses no line in a change', () => {
    fc.assert(
      fc.property(disturbed(logExample), (text) => {
        const once = parseDecisionLog(text, 'f')
        expect(withoutLines(parseDecisionLog(renderDecisionLog(once), 'f'))).toEqual(withoutLines(once))
        const after = renderDecisionLog(
          withEdge(
            withNode(withNode(once, 'ADR-777', 'Draft'), 'ADR-005', 'Superseded'),
            'ADR-005',
            'superseded_by',
            'ADR-777',
          ),
        )
        for (const node of once.nodes)
          for (const own of node.body)
            if (typeof own === 'string' && own !== '') expect(after.split('\n')).toContain(own)
        for (const own of once.head) if (own !== '') expect(after.split('\n')).toContain(own)
      }),
      runs,
    )
  })

  it('inserts new decisions and edges in their places', () => {
    let log = parseDecisionLog('# Decisions Log\n', 'f')
    log = withEdge(
      withNode(withNode(log, 'ADR-001', 'Accepted'), 'ADR-002', 'Draft'),
      'ADR-002',
      'depends_on',
      'ADR-001',
    )
    log = withEdge(withEdge(log, 'ADR-002', 'depends_on', 'ADR-001'), 'ADR-002', 'depends_on', 'ADR-000')
    expect(renderDecisionLog(withEdge(log, 'ADR-002', 'blocks', 'ADR-003'))).toBe(
      '# Decisions Log\n\nADR-001 (Accepted)\n\nADR-002 (Draft)\n  ├─ depends_on: ADR-001, ADR-000\n  └─ blocks: ADR-003\n',
    )
  })

  it('names an error by its line', () => {
    expect(problem(() => parseDecisionLog('ADR-001 (Accepted)\n  └─ blocks: everything\n', 'f'))).toBe(
      "f:2: 'everything' names no decision; write None, or ids such as ADR-004, ADR-005 (why).",
    )
    expect(problem(() => parseDecisionLog('ADR-001 (Accepted)\n\nADR-001 (Draft)\n', 'f'))).toBe(
      'f:3: ADR-001 is already in line 1; write it once.',
    )
    expect(problem(() => parseDecisionLog('ADR-001 (Fine)\n', 'f'))).toBe(
      "f:1: 'Fine' is not a status; write Draft, Accepted or Superseded.",
    )
  })

  it('finds cycles, through blocks and extends too, on paths of any length', () => {
    const cycle = (text: string) => cycleIn(parseDecisionLog(text, 'f'))
    expect(cycle(logExample)).toBeUndefined()
    expect(cycle('ADR-1 (Draft)\n└─ depends_on: ADR-2\nADR-2 (Draft)\n└─ depends_on: ADR-1\n')).toEqual([
      'ADR-1',
      'ADR-2',
      'ADR-1',
    ])
    expect(cycle('ADR-1 (Draft)\n├─ depends_on: ADR-2\n└─ blocks: ADR-2\n')).toEqual(['ADR-1', 'ADR-2', 'ADR-1'])
    expect(cycle('ADR-1 (Draft)\n└─ extends: ADR-1\n')).toEqual(['ADR-1', 'ADR-1'])
    const chain = Array.from({ length: 20_000 }, (_, at) => `ADR-${at} (Draft)\n└─ depends_on: ADR-${at + 1}\n`).join(
      '',
    )
    expect(cycle(chain)).toBeUndefined()
    expect(cycle(`${chain}ADR-20000 (Draft)\n└─ depends_on: ADR-0\n`)).toHaveLength(20_002)
  })
})

describe('a decision', () => {
  const spellings = {
    heading: (word: string) => `# ADR-005: A title\n\n## Status\n${word}\n\n## Context\nWhy\n`,
    'heading with an empty line': (word: string) => `# ADR-005: A title\n\n## Status\n\n${word}\n`,
    bold: (word: string) => `# ADR-005: A title\n\n**Status:** ${word}\n**Date:** 2026-01-04\n`,
    'bold as a bullet': (word: string) => `# ADR-005: A title\n\n- **Status**: ${word}\n`,
    YAML: (word: string) => `---\nid: 5\nstatus: ${word}\n---\n# ADR-005: A title\n`,
  }
  for (const [name, spelt] of Object.entries(spellings)) {
    it(`has its status: ${name}`, () => {
      for (const status of adrStatuses)
        expect(parseAdr(spelt(status), 'f')).toMatchObject({ id: 'ADR-005', title: 'A title', status })
      expect(parseAdr(spelt('Proposed'), 'f').status).toBe('Draft')
      expect(parseAdr(spelt('accepted (2026-01-04)'), 'f').status).toBe('Accepted')
      expect(withStatus(parseAdr(spelt('Draft'), 'f'), 'Accepted', 'f')).toBe(spelt('Accepted'))
      expect(problem(() => parseAdr(spelt('Fine'), 'f'))).toContain(
        "'Fine' is not a status; write Draft, Accepted or Superseded.",
      )
    })
  }

  it('has one status, and code in it does not count', () => {
    expect(
      parseAdr('# ADR-1: A\n\n## Status\nDraft\n\n```\n## Status\nAccepted\n**Status:** Accepted\n```\n', 'f').status,
    ).toBe('Draft')
    expect(problem(() => parseAdr('# ADR-1: A\n\n## Status\nDraft\n\n**Status:** Accepted\n', 'f'))).toBe(
      'f:6: the status Accepted contradicts Draft in line 4.',
    )
    expect(problem(() => parseAdr('## Status\nDraft\n', 'f'))).toBe(
      'f:1: the title is missing; write # ADR-005: with its own number and a title.',
    )
    expect(parseAdr('# ADR-1: A\n', 'f')).toMatchObject({ status: 'Draft', statusAt: null })
  })

  it('changes only the word of its status', () => {
    fc.assert(
      fc.property(disturbed(adrText('ADR-005')), (text) => {
        let adr
        try {
          adr = parseAdr(text, 'f')
          withStatus(adr, 'Accepted', 'f')
        } catch {
          return
        }
        const accepted = parseAdr(withStatus(adr, 'Accepted', 'f'), 'f')
        expect([accepted.title, accepted.status]).toEqual([adr.title, 'Accepted'])
        if (adr.statusAt)
          expect(withStatus(accepted, 'Draft', 'f').replace(/Draft|Proposed/i, '')).toBe(
            text.replace(/Draft|Proposed/i, ''),
          )
      }),
      runs,
    )
  })
})

const summaryExample = `# Project Summary

## Phase Status

### Completed
- Phase 0: ADR-001
- **Phase 0.1**: ADR-004, 005, ADR-006

### In Progress
- Phase 1 (sync): ADR-008
  with a note

### Pending
- Phase 2

## Elsewhere
- Phase 9: ADR-999
`

describe('summary.md', () => {
  it('lists the decisions of each phase', () => {
    expect(parsePhases(summaryExample).map(({ name, state, adrs }) => [name, state, adrs.join(' ')])).toEqual([
      ['0', 'Completed', 'ADR-001'],
      ['0.1', 'Completed', 'ADR-004 ADR-005 ADR-006'],
      ['1', 'In Progress', 'ADR-008'],
      ['2', 'Pending', ''],
    ])
  })

  it('moves only the lines of a completed phase', () => {
    const moved = withPhaseCompleted(summaryExample, '1')!
    expect(moved).toBe(
      summaryExample
        .replace('- Phase 1 (sync): ADR-008\n  with a note\n', '')
        .replace('ADR-006\n', 'ADR-006\n- Phase 1 (sync): ADR-008\n  with a note\n'),
    )
    expect(withPhaseCompleted(moved, '1')).toBeUndefined()
    expect(withPhaseCompleted('## Phase Status\n### In Progress\n- Phase 1: None\n', '1')).toBe(
      '## Phase Status\n### Completed\n- Phase 1: None\n### In Progress\n',
    )
    expect(withPhaseCompleted('## Phase Status\n### In Progress\n- Phase 1: None\n### Completed\n', '1')).toBe(
      '## Phase Status\n### In Progress\n### Completed\n- Phase 1: None\n',
    )
    expect(withPhaseCompleted('# Nothing\n', '1')).toBeUndefined()
  })

  it('loses no line when a phase is completed, whatever it contains', () => {
    fc.assert(
      fc.property(disturbed(summaryExample), (text) => {
        const moved = withPhaseCompleted(text, '1')
        if (moved === undefined) return
        const sorted = (source: string): string[] =>
          source
            .split('\n')
            .filter((one) => one !== '### Completed')
            .sort()
        expect(sorted(moved)).toEqual(sorted(text))
      }),
      runs,
    )
  })
})

describe('working-{phase}.jsonl', () => {
  it('reads the lines of the seed', () => {
    const seed = `{"timestamp": "2026-01-04T01:05Z", "type": "adr_accepted", "adr": "ADR-005", "agent": "claude"}
{"timestamp": "2026-01-04T01:15Z", "type": "verification", "test": "hash-chain", "status": "PASSED"}
{"timestamp": "2026-01-04T01:30Z", "type": "handoff", "from": "claude", "to": "chatgpt", "artifact": "context/agents/chatgpt/goal.md"}
`
    const { events, problems } = parseWorkingLog(seed, 'f')
    expect(problems).toEqual([])
    expect(events.map(({ event }) => event.type)).toEqual(['adr_accepted', 'verification', 'handoff'])
    expect(JSON.stringify(parseWorkingLog(events.map(({ event }) => renderEvent(event)).join(''), 'f').events)).toBe(
      JSON.stringify(events),
    )
  })

  it('reads back an event that was written', () => {
    fc.assert(
      fc.property(
        at,
        line,
        fc.dictionary(fc.stringMatching(/^[a-s]{1,5}$/), fc.oneof(lines, fc.integer())),
        (timestamp, type, rest) => {
          const event = { ...rest, timestamp, type }
          expect(parseWorkingLog(renderEvent(event), 'f')).toEqual({ events: [{ event, line: 1 }], problems: [] })
        },
      ),
      runs,
    )
  })

  it('names lines that are not events', () => {
    const { events, problems } = parseWorkingLog(
      '{"timestamp":"2026-01-04","type":"a"}\n\n{"timest\n[]\n{"timestamp":"soon","type":"a"}\n{"timestamp":"2026-01-04"}\n',
      'f',
    )
    expect(events).toHaveLength(1)
    expect(problems.map(({ message }) => message.slice(0, 40))).toEqual([
      expect.stringMatching(/^f:3: it is not valid JSON/),
      'f:4: a JSON object was expected.',
      "f:5: the key 'timestamp' is not a time; ",
      "f:6: the key 'type' is missing.",
    ])
  })
})

describe('file-state.json', () => {
  it('is merged, with its unknown keys', () => {
    const state = parseFileState(
      '{"session": "s", "by": "x", "files": {"audit.ts": {"added": 1, "removed": 0, "modified_at": "2026-01-04", "why": "y"}}}',
      'f',
    )
    const merged = withChange(
      withChange(state, 'audit.ts', { added: 318, removed: 0 }, '2026-01-05'),
      'db.ts',
      { added: 465, removed: 12 },
      '2026-01-06',
    )
    expect(parseFileState(renderFileState(merged), 'f')).toEqual({
      session: 's',
      by: 'x',
      files: {
        'audit.ts': { added: 319, removed: 0, modified_at: '2026-01-05', why: 'y' },
        'db.ts': { added: 465, removed: 12, modified_at: '2026-01-06' },
      },
    })
    expect(changesLine(merged)).toBe('audit.ts (+319), db.ts (+465, -12)')
    expect(Object.keys(withChange(state, '__proto__', { added: 1, removed: 0 }, '2026-01-05').files)).toEqual([
      'audit.ts',
      '__proto__',
    ])
  })

  it('names an error by its line', () => {
    expect(problem(() => parseFileState('{\n  "session": "s",\n  "files": {"a": {"added": -1}}\n}', 'f'))).toMatch(
      /^f:3: files\.a\.added: /,
    )
    expect(problem(() => parseFileState('{\n  "session": "s",\n', 'f'))).toMatch(/^f:[23]: it is not valid JSON/)
    expect(problem(() => parseFileState('[]', 'f'))).toBe('f:1: a JSON object was expected.')
    expect(
      problem(() => parseFileState(`{"session":"s","files":{},"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'f')),
    ).toBe('f:1: its values are nested deeper than 64.')
  })
})

describe('goal.md', () => {
  it('has five parts, and the missing ones are named', () => {
    const goal = parseGoal(
      '# Goal\nFor you\n\n## Current state\nIt works\n\n## Open Questions\n- Which?\n\n## More\nx\n',
    )
    expect(goal).toEqual({ parts: { 'Current state': 'It works', 'Open question': '- Which?' } })
    expect(missingParts(goal)).toEqual(['Context', 'Constraints', 'Success criteria'])
    expect(missingParts(parseGoal(goalParts.map((part) => `## ${part}\nx\n`).join('\n')))).toEqual([])
  })
})

it('times are read in every valid form, and in no other', () => {
  for (const text of [
    '2026-01-04T01:05Z',
    '2026-01-04T01:05:00Z',
    '2026-01-04T02:05:00.000+01:00',
    '2026-01-04 01:05',
    '2026-01-04T02:05+0100',
  ]) {
    expect(momentOf(text)).toBe(Date.UTC(2026, 0, 4, 1, 5))
  }
  for (const text of [
    '',
    'yesterday',
    '2026-02-31',
    '2026-13-01',
    '2026-01-04T25:00Z',
    '2026-1-4',
    '04.01.2026',
    '1767488700',
  ])
    expect(momentOf(text)).toBeUndefined()
})
