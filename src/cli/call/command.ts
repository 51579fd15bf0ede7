import type { z } from 'zod'
import type { Actor } from '../../domain/agent/actor.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Connection, Core } from '../../operations/perform/core.ts'
import type { Operation } from '../../operations/perform/operation.ts'
import { act } from '../../operations/perform/perform.ts'
import type { Services } from './services.ts'
import type { Streams } from './streams.ts'
import type { Meaning, Words } from './words.ts'

/** A row of the command table. */
export interface Command {
  /** `task add` */
  readonly path: string
  readonly summary: string
  readonly words: Words
  /** A working command line, without `aiswarm`. */
  readonly example: string
  readonly run: (words: never, call: Call) => Promise<Answer>
  /** True if it discards, merges or answers for a person: always, or with one of these words. */
  readonly grave?: true | readonly string[]
  /**
   * The errors of the operation's schema in the words, by their keys (`''` for errors of the whole); called before
   * anything is done.
   */
  readonly refusals?: (words: never, connection: Connection) => Readonly<Record<string, string>>
}

/** One call of the command line. */
export interface Call {
  readonly streams: Streams
  readonly services: Services
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Absolute path from `--root` or the working directory, anywhere in the repository. */
  readonly root: string
  readonly json: boolean
  /** The whole table, for output that is generated from it. */
  readonly commands: readonly Command[]
}

/** The output of a command: `json` for programs, `text` for people. Code 0 by default. */
export interface Answer {
  readonly json: unknown
  readonly text: string
  readonly code?: number
}

/** The command has already printed its output. */
export const saidAll = null

interface Row<W extends Words> {
  readonly path: string
  readonly words: W
  readonly example: string
}

/** A command that performs one operation. */
export const performs = <W extends Words, I extends z.ZodType, O extends z.ZodType>(
  row: Row<W> & {
    readonly summary?: string
    readonly operation: Operation<I, O>
    readonly input: (words: Meaning<W>, actor: Actor, core: Core) => z.input<I>
    readonly text: (output: z.output<O>, now: Instant) => string
    /** Errors that the schema cannot detect and the operation would refuse, by the keys of the words. */
    readonly unmeant?: (words: Meaning<W>) => Readonly<Record<string, string>>
  },
): Command => ({
  path: row.path,
  summary: row.summary ?? row.operation.summary,
  words: row.words,
  example: row.example,
  ...(row.operation.grave ? { grave: true } : {}),
  refusals: (words: Meaning<W>, { actor, core }) => ({
    ...row.unmeant?.(words),
    ...refusalsOf(row.operation.input, row.input(words, actor, core), words),
  }),
  run: async (words: Meaning<W>, call) => {
    const connection = await open(call)
    const output = await act(connection, row.operation, row.input(words, connection.actor, connection.core))
    return { json: output, text: row.text(output, connection.core.clock()) }
  },
})

const refusalsOf = (
  schema: z.ZodType,
  input: unknown,
  words: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> => {
  const result = schema.safeParse(input)
  if (result.success) return {}
  const wordAt = (path: readonly PropertyKey[]): string => {
    const [key = ''] = path.map(String)
    if (Object.hasOwn(words, key)) return key
    const value = (input as Readonly<Record<string, unknown>> | undefined)?.[key]
    return Object.keys(words).find((word) => words[word] !== undefined && words[word] === value) ?? ''
  }
  // Reports the first error of each word.
  return Object.fromEntries(
    result.error.issues.map(({ path, message }) => [wordAt(path), `${message}.`] as const).reverse(),
  )
}

/** A command with several operations, or none. */
export const does = <W extends Words>(
  row: Row<W> & {
    readonly summary: string
    readonly grave?: true | readonly (keyof W & string)[]
    readonly run: (words: Meaning<W>, call: Call) => Promise<Answer | typeof saidAll>
  },
): Command => ({
  ...row,
  run: async (words: Meaning<W>, call) => (await row.run(words, call)) ?? silence,
})

/** Prints nothing, not even JSON. */
export const silence: Answer = { json: undefined, text: '' }

export const open = (call: Call): Promise<Connection> => call.services.open(call.root)

/** `{key: value}` if there is a value, because operations and TypeScript refuse unknown and undefined keys. */
export const given = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })

/** Exit codes of a process for scripts. `unsettled`: a headless run ended with failed or waiting tasks, or a host was not drained in time. */
export const exitCodes = { done: 0, refused: 1, usage: 2, unsettled: 3, bug: 70 } as const

/** The subject of each group of commands. */
export const nouns: Readonly<Record<string, string>> = {
  task: 'Tasks on the board.',
  agent: 'Agents and their processes.',
  request: 'Requests of agents to a person.',
  mail: 'Messages of agents to you.',
  worktree: 'Git worktrees that agents work in, and their integration into the target branch.',
  target: 'Target branches that something other than aiswarm has moved.',
  checkout: 'Changes of the main checkout while agents ran.',
  persona: 'Personas: the roles of agents.',
  session: 'Sessions: periods of work on the board.',
  memory: 'Memories: session files, working memories, project memory, conversations.',
  'memory adr': 'Decisions of the project and their relations.',
  'memory phase': 'Phases of the project.',
  'memory conversations': 'Stored conversations.',
  'memory executions': 'Stored executions: tools, errors and observations of conversations.',
  db: 'The coordination database.',
  fleet: 'Several machines on one board.',
  host: 'The hosts of the board.',
}
