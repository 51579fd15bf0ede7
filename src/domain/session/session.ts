export const sessionStates = ['running', 'completed', 'failed', 'aborted'] as const
export type SessionState = (typeof sessionStates)[number]

/** The final state of a session whose board is finished, unless a person chooses another. */
export const verdict = (counts: { failed: number; unfinished: number }): Exclude<SessionState, 'running'> => {
  if (counts.failed > 0) return 'failed'
  return counts.unfinished > 0 ? 'aborted' : 'completed'
}
