import { noUsage } from '../../src/domain/budget/budget.ts'
import type { RaceFacts, RacerFacts } from '../../src/operations/races/facts.ts'
import type { WorktreeView } from '../../src/operations/views/worktrees.ts'

/** A race of task 1 between racers in these worktrees, all of which have completed it; `more` are texts of theirs. */
export const raceOf = (
  worktrees: readonly WorktreeView[],
  {
    title = 'Login form',
    kind = 'claude',
    ...more
  }: Partial<Pick<RacerFacts, 'kind' | 'model' | 'agentId' | 'error'>> & { title?: string } = {},
): RaceFacts => ({
  taskId: 1,
  title,
  status: 'running',
  startedAt: '2026-01-30T14:22:33.000Z',
  endedAt: null,
  budget: { costUsd: 5, tokens: null, askedAt: null },
  usage: { ...noUsage, costUsd: 1 },
  racers: worktrees.map((worktree, at) => ({
    taskId: at + 2,
    kind,
    model: null,
    agentId: `implementer-${at + 1}`,
    status: 'completed',
    error: null,
    attempts: 1,
    worked: 60_000,
    criteria: { met: 1, total: 2 },
    usage: noUsage,
    commits: 1,
    worktree,
    conflicts: [],
    picked: false,
    diff: { files: 1, added: 5, removed: 0, uncommitted: 0, findings: [] },
    ...more,
  })),
})
