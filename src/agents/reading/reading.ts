import type { Instant } from '../../domain/words/time.ts'

export interface Tokens {
  readonly tokensIn: number
  readonly tokensOut: number
  readonly tokensCached: number
}

/** A message in the structured output of an agent CLI, in terms common to all CLIs. One line may contain several. */
export type Reading =
  /** The CLI's own session, which can be resumed. */
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'model'; readonly name: string }
  /** Text of the model; `continues` if it continues the previous text. */
  | { readonly kind: 'text'; readonly text: string; readonly continues?: boolean }
  /**
   * A tool is called; `about` is its command, path or question in one line. `call` is the CLI's own id of the call:
   * some CLIs report its end by that id only, with name and `about` empty (report.ts completes them).
   */
  | { readonly kind: 'tool'; readonly name: string; readonly about: string; readonly call?: string }
  /** A tool failed, or was not allowed to run. */
  | { readonly kind: 'tool_failed'; readonly name: string; readonly about: string; readonly call?: string }
  | { readonly kind: 'denied'; readonly name: string; readonly about: string; readonly call?: string }
  /**
   * Tokens and cost; `tokensIn` is all input, `tokensCached` the part of it from a cache. `step`: of one turn, to be
   * summed; `message`: of one message so far, reported again with each of its parts, and valid until the whole run is
   * reported; `run`: of the whole run, the last one counts; `session`: of the whole session with earlier runs, which
   * must be subtracted. With `turn`, a `run` may count some of the earlier runs too, and the turn is the part that is
   * its own.
   */
  | {
      readonly kind: 'usage'
      readonly of: 'step' | 'message' | 'run' | 'session'
      /** The id of its message. */
      readonly message?: string
      readonly tokensIn: number
      readonly tokensOut: number
      readonly tokensCached: number
      readonly costUsd: number | null
      readonly turn?: Tokens
    }
  /**
   * The context of the model now: all tokens that its latest turn read and wrote, not summed. `window` is its limit;
   * `model` names the model if the CLI reports several.
   */
  | {
      readonly kind: 'context'
      readonly tokens: number | null
      readonly window: number | null
      readonly model?: string
    }
  /** Our MCP server did not start: the agent cannot report. */
  | { readonly kind: 'no_server'; readonly sentence: string }
  /** The account has reached its limit or the service is overloaded; `resetsAt` if the CLI reports it. */
  | { readonly kind: 'limited'; readonly sentence: string; readonly resetsAt: Instant | null }
  /** Not logged in, or the key was rejected. */
  | { readonly kind: 'unauthorized'; readonly sentence: string }
  /** The session to be resumed does not exist. */
  | { readonly kind: 'no_session'; readonly sentence: string }
  /** The CLI's own final result. */
  | { readonly kind: 'ended'; readonly ok: boolean; readonly sentence: string }
  /** Any other message for a person. */
  | { readonly kind: 'note'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
