import type { SessionLine, Verdict } from '../kind/session-driver.ts'

export interface CodexOpening {
  /** The thread to resume; null for a new one. */
  readonly resume: string | null
  /** The thread of which a new one is a copy. */
  readonly fork?: string | null
  /** The parameters of the thread. */
  readonly thread: Readonly<Record<string, unknown>>
}

export type CodexLine = SessionLine<CodexOpening, Verdict>

/** The answer to a request for permission, by its method; undefined for any other request. */
export const replyOf = (method: string, allow: boolean): object | undefined => {
  switch (method) {
    case 'item/commandExecution/requestApproval':
    case 'item/fileChange/requestApproval':
      return { decision: allow ? 'accept' : 'decline' }
    case 'mcpServer/elicitation/request':
      return { action: allow ? 'accept' : 'decline', content: allow ? {} : null, _meta: null }
    default:
      return undefined
  }
}
