import type { Edit, PlanStep } from '../../domain/agent/conversation.ts'
import type { Instant } from '../../domain/words/time.ts'
import { type Fields, list, text } from '../kind/json-line.ts'

// The meaning of a line of output: readings, from which the report is made, and details, which only the
// conversation view shows.

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

/** A reading for a person who follows the log: one plain line, or a text unchanged; undefined for counts. */
export const readableLine = (reading: Reading): string | undefined => {
  switch (reading.kind) {
    case 'text':
      return reading.text
    case 'tool':
      return line('●', reading.name, reading.about)
    case 'tool_failed':
      return line('✗', reading.name, reading.about || 'failed')
    case 'denied':
      return line('✗ denied', reading.name, reading.about)
    case 'no_server':
    case 'limited':
    case 'unauthorized':
    case 'no_session':
      return line('!', reading.sentence)
    case 'ended':
      return line(reading.ok ? '■ ended' : '■ ended with an error:', reading.ok ? '' : reading.sentence)
    case 'note':
      return reading.level === 'info' ? reading.text : line('!', reading.text)
    case 'session':
    case 'model':
    case 'usage':
    case 'context':
      return undefined
  }
}

const line = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ')

/** A part of a line that only the conversation view shows: reports and budgets are made from readings. */
export type Detail =
  | { readonly kind: 'thought'; readonly text: string }
  /** The input of a tool: its command, or the changes that it makes. `call` is the id that its reading has. */
  | {
      readonly kind: 'input'
      readonly call: string
      readonly command: string | null
      readonly edits: readonly Edit[]
    }
  | { readonly kind: 'result'; readonly call: string; readonly text: string; readonly failed: boolean }
  /** The whole plan, which replaces the one before. */
  | { readonly kind: 'plan'; readonly steps: readonly PlanStep[] }

/** The command or the edits in the arguments of a tool, by the names that the CLIs use; empty if there are none. */
export const inputOf = (call: string, input: Fields): readonly Detail[] => {
  const command = ['command', 'cmd'].map((key) => text(input[key])).find((one) => one !== '') ?? null
  const path = ['file_path', 'filePath', 'absolute_path', 'path', 'notebook_path']
    .map((key) => text(input[key]))
    .find((one) => one !== '')
  const edits = path === undefined ? [] : editsOf(path, input)
  return command === null && edits.length === 0 ? [] : [{ kind: 'input', call, command, edits }]
}

const editsOf = (path: string, input: Fields): readonly Edit[] => {
  const several = list(input.edits)
  const edits = (several.length > 0 ? several : [input]).map((one) => ({
    path,
    before: first(one, ['old_string', 'oldString', 'old_str', 'old_text', 'oldText']),
    after: first(one, [
      'new_string',
      'newString',
      'new_str',
      'new_text',
      'newText',
      'content',
      'file_text',
      'new_source',
    ]),
  }))
  return edits.filter(({ before, after }) => before !== '' || after !== '')
}

const first = (of: Fields, names: readonly string[]): string =>
  names.map((name) => text(of[name])).find((one) => one !== '') ?? ''

/** The steps of a plan in the form of most CLIs: a list of objects with a text and a status. */
export const planOf = (steps: readonly Fields[]): Extract<Detail, { kind: 'plan' }> => ({
  kind: 'plan',
  steps: steps.map((step) => ({
    text: first(step, ['content', 'step', 'description', 'text', 'title']),
    state: planStates[text(step.status)] ?? (step.completed === true ? 'done' : 'open'),
  })),
})

const planStates: Readonly<Record<string, PlanStep['state']>> = {
  in_progress: 'doing',
  inProgress: 'doing',
  completed: 'done',
  done: 'done',
}
