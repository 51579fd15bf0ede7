/** The four kinds of session files. While several sessions are live, the names include the session. */
export type SessionFileName =
  | { readonly kind: 'session' | 'board'; readonly session: string | null }
  | { readonly kind: 'progress' | 'result'; readonly agent: string; readonly session: string | null }

export const sessionIdPattern = /^session-\d{8}-\d{6}$/
export const agentIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/

/**
 * The kind of a file by its name; undefined for a file of no session. A session at the end of a name is not part of the
 * agent's id.
 */
export const describeFile = (name: string): SessionFileName | undefined => {
  const match =
    /^(?:(orchestrator-session|task-board)|(progress|result)-([A-Za-z0-9][A-Za-z0-9_-]*?))(?:-(session-\d{8}-\d{6}))?\.md$/.exec(
      name,
    )
  if (!match) return undefined
  const [, own, kind, agent, session = null] = match
  if (own !== undefined) return { kind: own === 'task-board' ? 'board' : 'session', session }
  return agentIdPattern.test(agent!) ? { kind: kind as 'progress' | 'result', agent: agent!, session } : undefined
}

export const fileNameOf = (file: SessionFileName): string => {
  const stem =
    'agent' in file ? `${file.kind}-${file.agent}` : file.kind === 'session' ? 'orchestrator-session' : 'task-board'
  return `${stem}${file.session === null ? '' : `-${file.session}`}.md`
}
