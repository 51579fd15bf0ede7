import { fields, objectOf, text } from './json-line.ts'

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

/** A line of aiswarm in the output of an agent. */
export const noteLine = (note: Note): string => JSON.stringify({ aiswarm: note })

/** The id of the line of the journal that was handed over, in a note about it. Never throws. */
export const sentIn = (line: string): string | undefined => {
  if (!line.startsWith('{"aiswarm"')) return undefined
  const { is, id } = fields(objectOf(line)?.aiswarm)
  return is === 'sent' ? text(id) : undefined
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
