import type { Census } from '../../src/operations/kernel/census.ts'

/** The census of a worktree that has nothing of its own. */
export const emptyCensus: Census = {
  ...{ uncommitted: [], untracked: [], ignored: [], beyond: [], regenerable: [], nested: [], special: [], stashes: [], processes: [] },
  ...{ commits: 0, head: null, inProgress: null, landed: { target: 'main', how: null, commits: 0, picked: 0 } },
}
