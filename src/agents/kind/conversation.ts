import { fields, objectOf, text } from './json-line.ts'

// A conversation with an agent while it works: the protocol of a CLI whose input stays open, and the driver of it
// in the relay.

/** The verdict of a person, or of a rule, on a call of a tool. */
type Verdict =
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

// The client side of a protocol in which an agent asks and waits. It runs in the relay, which lives as long as the agent
// and needs no console: an agent is opened, answered and closed even if every console dies right after its start. What
// only a person can decide waits in the journal, as with every other agent. Pure: the relay reads and writes.

export interface Step {
  /** Lines for the agent's input. */
  readonly send: readonly string[]
  /** Lines for the output file, before the line that caused them. */
  readonly note: readonly string[]
  /** False if the line that caused the step does not belong into the output file. */
  readonly keep?: boolean
}

export interface Driver {
  /** A line of the journal. Never throws. */
  take(line: string): Step
  /** A line of the agent's output. Never throws. */
  hear(line: string): Step
  /** The journal has ended: the input ends as soon as the agent has nothing left to do. */
  end(): void
  /** Ends the conversation, for example because the agent does not answer. */
  fail(why: string): Step
  /** The method whose answer it waits for before the first prompt; undefined once the conversation is open. */
  readonly opening: string | undefined
  /** True when the input is to be ended. */
  readonly over: boolean
  readonly failed: boolean
}

/** The facts that the output of an agent does not contain by itself. */
export type Note =
  /** The conversation is open; the agent's own id of it. */
  | { readonly is: 'session'; readonly id: string }
  /** A line of the journal was handed to the agent; `turn` if its turn begins with it. */
  | { readonly is: 'sent'; readonly id: string; readonly turn: boolean }
  /** The turn that a line was to begin was refused. */
  | { readonly is: 'unsent'; readonly id: string }
  /** The turn was stopped. */
  | { readonly is: 'stopped'; readonly id: string }
  /** A call of a tool, once, when its name and its subject are known. */
  | { readonly is: 'call'; readonly call: string; readonly name: string; readonly about: string }
  /** The conversation could not be opened. */
  | { readonly is: 'failed'; readonly why: string }

/** A line of aiswarm in the output of an agent. */
export const noteLine = (note: Note): string => JSON.stringify({ aiswarm: note })

/** The id of the line of the journal that was handed over, in a note about it. Never throws. */
export const sentIn = (line: string): string | undefined => {
  if (!line.startsWith('{"aiswarm"')) return undefined
  const { is, id } = fields(objectOf(line)?.aiswarm)
  return is === 'sent' ? text(id) : undefined
}
