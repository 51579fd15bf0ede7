import type { DecisionView, FileMemories, WorkingMemoryView, WorkingNotes } from '../../src/contracts/memories.ts'
import { noMemories } from './fixture.ts'

// Short memories, as files contain them.

const at = (minute: number): string => `2026-01-30T14:${String(minute).padStart(2, '0')}:00.000Z`

export const notes = (more: Partial<WorkingNotes> = {}): WorkingNotes => ({
  sessionId: 'session_1',
  initialized: at(0),
  lastUpdated: at(9),
  currentContext: {},
  observations: [],
  decisions: [],
  blockers: [],
  keyFacts: {},
  plan: [],
  currentStep: null,
  completedTasks: [],
  ...more,
})

export const workingOf = (agent: string, more: Partial<WorkingNotes> = {}): WorkingMemoryView => ({
  agent,
  path: `.ai/working_memory_${agent}.json`,
  notes: notes(more),
  problem: null,
})

export const brokenOf = (agent: string, problem: string): WorkingMemoryView => ({
  agent,
  path: `.ai/working_memory_${agent}.json`,
  notes: null,
  problem,
})

export const decisionOf = (
  id: string,
  status: DecisionView['status'],
  title: string | null,
  edges: DecisionView['edges'] = [],
): DecisionView => ({
  id,
  status,
  title,
  path: title === null ? null : `context/decisions/adr/${id}.md`,
  text: title === null ? null : `# ${id}: ${title}\n\nBecause of it.\n`,
  edges,
})

export const entries = (...titles: readonly string[]): FileMemories['timeline'] => ({
  entries: titles.map((title, index) => ({
    at: at(index),
    agent: 'claude',
    title,
    notes: [`note of ${title}`],
    line: 1 + 3 * index,
  })),
  problems: [],
})

export const memories = (more: Partial<FileMemories> = {}): FileMemories => ({ ...noMemories, ...more })

/** An agent with every kind of entry. */
export const dev = workingOf('dev', {
  currentContext: { storyId: 'S1' },
  plan: ['Analyse', 'Build', 'Test'],
  currentStep: 2,
  observations: [
    { timestamp: at(1), content: 'The API answers 500', context: {} },
    { timestamp: at(2), content: 'Logging in is slow', context: { storyId: 'S1', taskId: '3' } },
  ],
  decisions: [{ timestamp: at(3), decision: 'Use SQLite', reasoning: 'It needs no server', context: {} }],
  blockers: [
    {
      timestamp: at(4),
      blocker: 'CI has no secrets',
      context: {},
      resolved: true,
      resolution: 'The team added them',
      resolvedAt: at(6),
    },
    {
      timestamp: at(5),
      blocker: 'No staging database',
      context: {},
      resolved: false,
      resolution: null,
      resolvedAt: null,
    },
  ],
  keyFacts: {
    'token-ttl': { timestamp: at(6), content: '15 minutes', context: {} },
    fact_1_abc: { timestamp: at(7), content: 'Port 4000', context: {}, critical: true },
  },
  completedTasks: [{ timestamp: at(8), taskId: 'analysis' }],
})

export const graph: FileMemories['decisions'] = {
  decisions: [
    decisionOf('ADR-004', 'Superseded', 'Keep sessions in memory', [
      { key: 'superseded_by', targets: [{ id: 'ADR-005', note: null }] },
    ]),
    decisionOf('ADR-005', 'Accepted', 'Keep sessions in SQLite', [
      { key: 'supersedes', targets: [{ id: 'ADR-004', note: null }] },
      {
        key: 'blocks',
        targets: [
          { id: 'ADR-006', note: 'dependency' },
          { id: 'ADR-099', note: null },
        ],
      },
    ]),
    decisionOf('ADR-006', 'Draft', null),
  ],
  problems: [],
}
