import type { McpServer } from '@agentclientprotocol/sdk'
import { type Fields, text } from '../kind/json-line.ts'

// The lines that aiswarm writes into the journal of an ACP agent. They say what is to be done; the driver in the relay
// knows the session and the state of the turn, and makes the messages of the protocol.

/** How the conversation is opened. The environment of a server has the agent's token: this belongs in files only. */
export interface Opening {
  readonly cwd: string
  readonly mcpServers: readonly McpServer[]
  /** The session to load; null for a new one. */
  readonly load: string | null
  readonly modes: readonly string[]
  /** True if it must not work in any other mode. */
  readonly strict: boolean
  readonly titled: boolean
  readonly rejectEnds: boolean
  readonly drains?: string | undefined
}

export type JournalLine =
  | ({ readonly do: 'open' } & Opening)
  /** `now`: in the middle of a turn, or after its cancellation; otherwise after its end. */
  | { readonly do: 'say'; readonly id: string; readonly text: string; readonly now: boolean }
  | { readonly do: 'stop'; readonly id: string }
  /** `then` is said after a denial, whose words the agent would not read otherwise. */
  | {
      readonly do: 'answer'
      readonly call: string
      readonly allow: boolean
      readonly options: readonly Fields[]
      readonly then?: { readonly id: string; readonly text: string } | undefined
    }

/** The option for one verdict, once; undefined if the agent offers none. */
export const optionFor = (options: readonly Fields[], allow: boolean): string | undefined => {
  const verb = allow ? 'allow' : 'reject'
  const option =
    options.find(({ kind }) => kind === `${verb}_once`) ?? options.find(({ kind }) => text(kind).startsWith(verb))
  return option === undefined ? undefined : text(option.optionId)
}
