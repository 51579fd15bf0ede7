// The conversation of an agent, which its CLI stores as a session: the next run resumes it, another agent starts
// from a copy, a person takes it over and hands it back.

/** The known facts about a run of a task. */
interface PastRun {
  readonly kind: string
  /** The CLI's own session. */
  readonly session: string | null
  readonly problem: string | null
}

/**
 * The CLI's own session that the next run of a task resumes; null for a new one: nothing ran before, the last run was
 * of another kind or its session is gone, or two attempts have failed and another approach is required (seed 000),
 * which an agent finds more easily without its old context.
 */
export const sessionToResume = (runs: readonly PastRun[], kind: string, retryCount: number): string | null => {
  const last = runs.at(-1)
  if (retryCount >= 2 || last?.kind !== kind) return null
  return last.problem?.startsWith(NO_SESSION) ? null : last.session
}

/** A conversation of which the first run of a task begins with a copy. */
interface Fork {
  readonly kind: string
  readonly session: string
}

/**
 * The session of another agent of which the next run of a task begins with a copy; null if there is none, or if the task
 * has a conversation of its own by now.
 */
export const sessionToFork = (
  runs: readonly PastRun[],
  fork: Fork | null,
  kind: string,
  retryCount: number,
): string | null => {
  if (fork?.kind !== kind || retryCount >= 2) return null
  const isBegun = runs.some(({ session, problem }) => session !== null || problem?.startsWith(NO_SESSION))
  return isBegun ? null : fork.session
}

/** The beginning of a run's problem if its CLI did not find the session to resume. */
export const NO_SESSION = 'no session'

/**
 * How a person hands a conversation back: the agent continues it, the task is done or has failed, or it is pending
 * again for any agent.
 */
export const handBacks = ['agent', 'done', 'failed', 'board'] as const
export type HandBack = (typeof handBacks)[number]

// The parts of a conversation with an agent that every CLI reports in its own form.

/** A change of a file by a tool: the text that it replaces, '' for a new file, and the text that it writes. */
export interface Edit {
  readonly path: string
  readonly before: string
  readonly after: string
}

export interface PlanStep {
  readonly text: string
  readonly state: 'open' | 'doing' | 'done'
}
