/** What is known of a run that was started for a task. */
export interface PastRun {
  readonly kind: string
  /** The CLI's own session. */
  readonly session: string | null
  readonly problem: string | null
}

/**
 * The CLI's own session that the next run of a task goes on with; null where it begins anew: nothing ran before, the
 * last run was of another kind or its session is gone, or two attempts have failed and another approach is wanted
 * (seed 000), which an agent finds better without its old thoughts.
 */
export const sessionToResume = (runs: readonly PastRun[], kind: string, retryCount: number): string | null => {
  const last = runs.at(-1)
  if (retryCount >= 2 || last?.kind !== kind) return null
  return last.problem?.startsWith(NO_SESSION) ? null : last.session
}

/** How the problem of a run begins whose CLI did not find the session that it was to go on with. */
export const NO_SESSION = 'no session'
