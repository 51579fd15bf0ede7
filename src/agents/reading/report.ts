import type { Instant } from '../../domain/words/time.ts'
import type { Tokens } from './reading.ts'

/** The summary of one run's readings. */
export interface Report {
  readonly session: string | null
  readonly model: string | null
  readonly tokensIn: number
  readonly tokensOut: number
  readonly tokensCached: number
  readonly costUsd: number | null
  /** The latest messages whose tokens were counted, with the counts, so that repeated reports are not counted twice. */
  readonly counted: readonly (Tokens & { readonly message: string })[]
  /** True if the tokens are those of the whole session, with earlier runs. */
  readonly cumulative: boolean
  /** The tokens that a CLI which may count earlier runs had counted before this run; null until a turn has ended. */
  readonly before: Tokens | null
  /** The context of the model now and its limit; null if the CLI does not report them. */
  readonly context: number | null
  readonly window: number | null
  readonly denied: readonly { readonly name: string; readonly about: string }[]
  readonly limited: { readonly sentence: string; readonly resetsAt: Instant | null } | null
  readonly unauthorized: string | null
  readonly noServer: string | null
  readonly noSession: string | null
  readonly ended: { readonly ok: boolean; readonly sentence: string } | null
  /** The last message. */
  readonly said: string | null
  /** The last other output, such as the error of a program. */
  readonly noted: string | null
  /** The latest calls, by which the end of one is matched; and whether the text may continue. */
  readonly calls: readonly Call[]
  readonly speaking: boolean
}

interface Call {
  readonly call: string
  readonly name: string
  readonly about: string
  readonly denied: boolean
}

export const emptyReport: Report = {
  session: null,
  model: null,
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  costUsd: null,
  counted: [],
  cumulative: false,
  before: null,
  context: null,
  window: null,
  denied: [],
  limited: null,
  unauthorized: null,
  noServer: null,
  noSession: null,
  ended: null,
  said: null,
  noted: null,
  calls: [],
  speaking: false,
}
