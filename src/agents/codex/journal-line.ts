// The lines that aiswarm writes into the journal of a Codex agent; its driver makes the messages of them.

export interface CodexOpening {
  /** The thread to resume; null for a new one. */
  readonly resume: string | null
  /** The parameters of the thread. */
  readonly thread: Readonly<Record<string, unknown>>
}

export type CodexLine =
  | ({ readonly do: 'open' } & CodexOpening)
  /** `now`: within the present turn; otherwise after its end. */
  | { readonly do: 'say'; readonly id: string; readonly text: string; readonly now: boolean }
  | { readonly do: 'stop'; readonly id: string }
  /** `then` is said after a denial, whose words Codex would not read otherwise. */
  | {
      readonly do: 'answer'
      readonly call: string
      readonly allow: boolean
      readonly then?: { readonly id: string; readonly text: string } | undefined
    }

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
