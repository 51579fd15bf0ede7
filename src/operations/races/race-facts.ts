import type { Connection } from '../perform/core.ts'
import { findingsOf, totalsOf } from '../integration/review.ts'
import type { Finding } from '../../domain/task/claim-findings.ts'
import type { RacerView, RaceView } from './race-view.ts'

/** The facts of git and of the review about the present content of a racer's worktree. */
export interface RacerDiff {
  readonly files: number
  readonly added: number
  readonly removed: number
  readonly uncommitted: number
  /** The claims of its agent, compared with the facts. */
  readonly findings: readonly Finding[]
}

export type RacerFacts = RacerView & {
  /** Null if the worktree has no folder now. */
  readonly diff: RacerDiff | null
}

export type RaceFacts = Omit<RaceView, 'racers'> & { readonly racers: readonly RacerFacts[] }

/** The race with the facts outside of the database. */
export const readRaceFacts = async (
  { outside }: Pick<Connection, 'outside'>,
  { racers, ...race }: RaceView,
): Promise<RaceFacts> => ({
  ...race,
  racers: await Promise.all(racers.map(async (racer) => ({ ...racer, diff: await diffOf(outside, racer) }))),
})

const diffOf = async (outside: Connection['outside'], { worktree }: RacerView): Promise<RacerDiff | null> => {
  if (worktree.status !== 'active' || worktree.folder !== 'ready') return null
  // Its folder may be removed meanwhile, or lie on another host.
  const review = await outside.presentWorktree(worktree.name).catch(() => null)
  return (
    review && {
      ...totalsOf(review),
      uncommitted: review.uncommitted.length,
      findings: findingsOf(review, worktree.integration),
    }
  )
}

/** The worktrees of racers that have completed the task with commits and have no merge yet. */
export const unverifiedRacers = ({ racers }: { readonly racers: readonly RacerView[] }): readonly string[] =>
  racers
    .filter(
      ({ status, commits, worktree: { status: state, integration } }) =>
        status === 'completed' &&
        commits > 0 &&
        state === 'active' &&
        (integration === null || integration.endedAt !== null),
    )
    .map(({ worktree }) => worktree.name)
