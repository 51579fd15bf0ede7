import type { McpServer } from '@agentclientprotocol/sdk'
import { type Fields, text } from '../kind/json-line.ts'
import type { SessionLine, Verdict } from '../kind/session-line.ts'

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

/** A verdict with the options that the agent offered. */
export type AcpVerdict = Verdict & { readonly options: readonly Fields[] }

export type AcpLine = SessionLine<Opening, AcpVerdict>

/** The option for one verdict, once; undefined if the agent offers none. */
export const optionFor = (options: readonly Fields[], allow: boolean): string | undefined => {
  const verb = allow ? 'allow' : 'reject'
  const option =
    options.find(({ kind }) => kind === `${verb}_once`) ?? options.find(({ kind }) => text(kind).startsWith(verb))
  return option === undefined ? undefined : text(option.optionId)
}
