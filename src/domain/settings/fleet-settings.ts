// docs/configuration.md is generated from the comment of each key.

/** When a host of a board with several hosts is silent, and when it is lost (docs/fleet.md). */
export interface FleetSettings {
  /** A host that has not been heard of for this time gets no new work; its agents keep their tasks. @value duration */
  readonly silentAfter: number
  /** A host that has not been heard of for this time is declared lost. Its own agents pause half a minute earlier. @value duration */
  readonly lostAfter: number
  /** A host whose load is higher for each processor gets no new work while the board has other hosts; `null`: no limit. */
  readonly maxLoad: number | null
  /** `heads` also pushes the branches of worktrees to the git remote under their own names, for a CI that must see them. */
  readonly pushBranches: 'none' | 'heads'
}

export const defaultFleet: FleetSettings = {
  silentAfter: 30_000,
  lostAfter: 300_000,
  maxLoad: 1.5,
  pushBranches: 'none',
}

/** How long before others may declare it lost a host pauses its agents, at most (ms). */
const EARLIER = 30_000

/** After this time without the board a host pauses its agents (ms): what they do may soon not count any more. */
export const pauseAfter = ({ silentAfter, lostAfter }: Pick<FleetSettings, 'silentAfter' | 'lostAfter'>): number =>
  lostAfter - Math.min(EARLIER, (lostAfter - silentAfter) / 2)
