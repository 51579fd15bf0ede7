import type { Edit, PlanStep } from '../domain/agent/conversation.ts'

// The conversation with an agent, as surfaces read it: a piece of the output at a time.

/** One thing that an agent, its CLI or a person said or did. `call` joins the parts of one call of a tool. */
export type Saying =
  /** The beginning of a run; `run` is its place in the list that was read. */
  | { readonly kind: 'run' }
  | { readonly kind: 'text'; readonly text: string; readonly continues: boolean }
  | { readonly kind: 'thought'; readonly text: string }
  /** A line that the CLI's protocol does not know. */
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'tool'; readonly call: string; readonly name: string; readonly about: string }
  | { readonly kind: 'input'; readonly call: string; readonly command: string | null; readonly edits: readonly Edit[] }
  | { readonly kind: 'result'; readonly call: string; readonly text: string; readonly failed: boolean }
  | {
      readonly kind: 'failed'
      readonly call: string
      readonly name: string
      readonly about: string
      readonly denied: boolean
    }
  | { readonly kind: 'plan'; readonly steps: readonly PlanStep[] }
  /** It waits for a verdict; `input` is the JSON of the tool's input, with sorted keys. */
  | {
      readonly kind: 'asks'
      readonly call: string
      readonly tool: string
      readonly about: string
      readonly input: string
    }
  /** It has taken in a message, by the number of its row. */
  | { readonly kind: 'message'; readonly id: number }
  | { readonly kind: 'note'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  | { readonly kind: 'ended'; readonly ok: boolean; readonly text: string }
  /** A line too long to read. */
  | { readonly kind: 'gap'; readonly bytes: number }

/** A place in the output: the run by its index, and the byte offset of a line. */
export interface Spot {
  readonly run: number
  readonly offset: number
}

/** `part` counts the sayings of one line. */
export interface TalkEvent extends Spot {
  readonly part: number
  readonly saying: Saying
}

/** A run with its part of the agent's output (bytes); `until` is null for the agent's last run. */
export interface TalkRun {
  readonly agentId: string
  readonly run: number
  readonly kind: string
  readonly from: number
  readonly until: number | null
  readonly endedAt: string | null
}

/** A message to one of the agents, for finding it in the output. */
export interface TalkMessage {
  readonly id: number
  readonly agentId: string
  readonly kind: 'say' | 'stop'
}

export interface TalkPiece {
  readonly events: readonly TalkEvent[]
  /** Reading continues before `from`, and at `to`. */
  readonly from: Spot
  readonly to: Spot
  readonly atBegin: boolean
  readonly atEnd: boolean
}

export interface Conversations {
  /**
   * The events before or after a spot, at most about 64 KB of output. The end is the last complete line of the last run.
   * An output that has become shorter than the spot is read from its end.
   */
  readonly read: (
    runs: readonly TalkRun[],
    messages: readonly TalkMessage[],
    from: Spot | 'begin' | 'end',
    direction: 'before' | 'after',
  ) => Promise<TalkPiece>
  /** The nearest line before or after the line at a spot that contains the words; undefined if there is none, or the signal aborts. */
  readonly find: (
    runs: readonly TalkRun[],
    from: Spot,
    direction: 'before' | 'after',
    words: string,
    signal: AbortSignal,
  ) => Promise<Spot | undefined>
  /** Calls back when the output of an agent may have grown; returns a function that stops it. */
  readonly watch: (agentId: string, grown: () => void) => () => void
}

/** A program to be run on the terminal of a person. */
export type OnTerminal = Pick<Taken, 'argv' | 'folder' | 'environment'>

/** A conversation that a person has taken over, and the CLI's own program that goes on with it on a terminal. */
export interface Taken {
  /** The row by which the person holds the task. */
  readonly holderId: string
  readonly agentId: string
  readonly taskId: number
  readonly argv: readonly string[]
  /** The absolute path of the agent's working folder. */
  readonly folder: string
  /** Variables in addition to the person's own. */
  readonly environment: Readonly<Record<string, string>>
}
