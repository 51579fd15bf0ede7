import type { Driver } from './driver.ts'

/** The verdict of a person, or of a rule, on a call of a tool. */
export type Verdict =
  { readonly allowed: true; readonly input: unknown } | { readonly allowed: false; readonly message: string }

/** The news in a line of an agent's output about the conversation with it. Ids are those of the lines that it was sent. */
export type Heard =
  /** The agent has taken a line in: its turn goes on, or begins, with it, unless that turn is `over`. */
  | { readonly kind: 'seen'; readonly id: string; readonly over?: boolean }
  /** Its turn failed before it could take a line in. */
  | { readonly kind: 'unread'; readonly id: string }
  /** It may not use a tool without an answer; `call` names the question, `choices` is what its answer needs of it. */
  | {
      readonly kind: 'asks'
      readonly call: string
      readonly tool: string
      readonly input: Readonly<Record<string, unknown>>
      readonly choices?: unknown
    }
  /** It asks something that aiswarm does not know; it waits until it gets an answer. */
  | { readonly kind: 'asks_else'; readonly call: string; readonly what: string }
  /** It needs the answer no more. */
  | { readonly kind: 'takes_back'; readonly call: string }
  | { readonly kind: 'busy' }
  /** Its turn has ended. */
  | { readonly kind: 'idle' }

export type Protocol = 'stream-json' | 'acp' | 'app-server'

/** The protocol of a CLI whose input stays open. Pure functions; lines have no line break. */
export interface Talk {
  readonly protocol: Protocol
  /** True if a message `now` reaches the agent in the middle of its turn; otherwise it cancels the turn first. */
  readonly steers: boolean
  /** How long the CLI may take to end after the end of its input (ms). */
  readonly patience: number
  /** Words of a person, or of aiswarm; `id` is a UUID that the CLI repeats. */
  readonly say: (id: string, text: string, now: boolean) => string
  /** Ends the present turn. */
  readonly stop: (id: string) => string
  /** `id` is for the words of a denial, if they need a message of their own. */
  readonly answer: (call: string, verdict: Verdict, id: string, choices: unknown) => string
  readonly refuse: (call: string, why: string) => string
  /** A reader of one run's lines, in order. It never throws. */
  readonly listen: () => (line: string) => readonly Heard[]
}

/** A driver of a protocol, by its name; a protocol without one forwards the lines of the journal as they are. */
export type Drivers = Readonly<Partial<Record<Protocol, () => Driver>>>
