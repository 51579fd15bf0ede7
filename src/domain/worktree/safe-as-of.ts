import type { Instant } from '../words/time.ts'

/** When a worktree's work was last pushed to the git remote: what is later is lost if its host dies. */
export interface SafeAsOf {
  /** When all its commits were there; null: none has been pushed since it was created. */
  readonly commits: Instant | null
  /** When its uncommitted files were, if a person allows that and there were some. */
  readonly uncommitted: Instant | null
}

/** `14:22:30; uncommitted files 14:22:50` */
export const safeWords = ({ commits, uncommitted }: SafeAsOf, clock: (at: Instant) => string): string =>
  [
    commits === null ? 'its creation' : clock(commits),
    ...(uncommitted === null ? [] : [`uncommitted files ${clock(uncommitted)}`]),
  ].join('; ')
