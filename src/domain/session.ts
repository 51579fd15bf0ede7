export const sessionStates = ['running', 'completed', 'failed', 'aborted'] as const
export type SessionState = (typeof sessionStates)[number]

/** The state in which a finished board leaves its session, unless a person says otherwise. */
export const verdict = (counts: { failed: number; unfinished: number }): Exclude<SessionState, 'running'> => {
  if (counts.failed > 0) return 'failed'
  return counts.unfinished > 0 ? 'aborted' : 'completed'
}
