import type { Instant } from '../domain/time.ts'

/** What an agent CLI says in its structured output, in words that all CLIs share. One line may say several things. */
export type Reading =
  /** The CLI's own session, with which it can go on later. */
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'model'; readonly name: string }
  /** The model speaks; `continues` where it goes on from the text before. */
  | { readonly kind: 'text'; readonly text: string; readonly continues?: boolean }
  /**
   * A tool is called; `about` is its command, path or question in one line. `call` is the CLI's own name of the call:
   * some tell of its end by that alone, with name and `about` empty (report.ts puts them in).
   */
  | { readonly kind: 'tool'; readonly name: string; readonly about: string; readonly call?: string }
  /** A tool failed, or was not allowed to run. */
  | { readonly kind: 'tool_failed'; readonly name: string; readonly about: string; readonly call?: string }
  | { readonly kind: 'denied'; readonly name: string; readonly about: string; readonly call?: string }
  /**
   * Tokens and cost; `tokensIn` is all that was read, `tokensCached` the part of it that came from a cache. `step`: of one turn, to be added up; `message`: of one message as far as it is told, which is told again with each of its
   * parts, and until the whole run is told; `run`: of the whole run, the last one counts;
   * `session`: of the whole session with the runs before, which are to be taken off.
   */
  | {
      readonly kind: 'usage'
      readonly of: 'step' | 'message' | 'run' | 'session'
      /** The message that it is of. */
      readonly message?: string
      readonly tokensIn: number
      readonly tokensOut: number
      readonly tokensCached: number
      readonly costUsd: number | null
    }
  /**
   * What the model has before it now: all that its latest turn read and wrote, not summed up. `window` is the most that it
   * can have; `model` says whose it is where the CLI tells of several.
   */
  | { readonly kind: 'context'; readonly tokens: number | null; readonly window: number | null; readonly model?: string }
  /** Our MCP server did not come up: the agent cannot report. */
  | { readonly kind: 'no_server'; readonly sentence: string }
  /** The account is over its limit or the service is overloaded; `resetsAt` where the CLI tells. */
  | { readonly kind: 'limited'; readonly sentence: string; readonly resetsAt: Instant | null }
  /** Not logged in, or the key is not accepted. */
  | { readonly kind: 'unauthorized'; readonly sentence: string }
  /** The session that was to be resumed is not there. */
  | { readonly kind: 'no_session'; readonly sentence: string }
  /** The CLI's own last word on how it went. */
  | { readonly kind: 'ended'; readonly ok: boolean; readonly sentence: string }
  /** Anything else worth a line for a person. */
  | { readonly kind: 'note'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
