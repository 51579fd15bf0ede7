/** The four kinds of files of a session. While several sessions are live, their names carry the session. */
export type SessionFileName =
  { readonly kind: 'session' | 'board'; readonly session: string | null } | { readonly kind: 'progress' | 'result'; readonly agent: string; readonly session: string | null }

export const sessionIdPattern = /^session-\d{8}-\d{6}$/
export const agentIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/

/** What a file of this name is; undefined for one that belongs to no session. */
export const describeFile = (name: string): SessionFileName | undefined => {
  if (!name.endsWith('.md')) return undefined
  const [stem, session] = splitSession(name.slice(0, -'.md'.length))
  if (stem === 'orchestrator-session') return { kind: 'session', session }
  if (stem === 'task-board') return { kind: 'board', session }
  for (const kind of ['progress', 'result'] as const) {
    const agent = stem.slice(kind.length + 1)
    if (stem.startsWith(`${kind}-`) && agentIdPattern.test(agent)) return { kind, agent, session }
  }
  return undefined
}

export const fileNameOf = (file: SessionFileName): string => {
  const stem = 'agent' in file ? `${file.kind}-${file.agent}` : file.kind === 'session' ? 'orchestrator-session' : 'task-board'
  return `${stem}${file.session === null ? '' : `-${file.session}`}.md`
}

const splitSession = (stem: string): [stem: string, session: string | null] => {
  const length = 'session-YYYYMMDD-HHMMSS'.length
  const session = stem.slice(-length)
  return stem.length > length + 1 && stem.at(-length - 1) === '-' && sessionIdPattern.test(session) ? [stem.slice(0, -length - 1), session] : [stem, null]
}
