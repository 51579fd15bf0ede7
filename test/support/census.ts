import type { Census } from '../../src/contracts/observations.ts'

/** The census of a worktree without changes. */
export const emptyCensus: Census = {
  ...{
    uncommitted: [],
    untracked: [],
    ignored: [],
    beyond: [],
    regenerable: [],
    nested: [],
    special: [],
    stashes: [],
    processes: [],
  },
  ...{ commits: 0, head: null, inProgress: null, landed: { target: 'main', how: null, commits: 0, picked: 0 } },
}
