import { CommanderError } from 'commander'
import { z } from 'zod'
import type { Caller, DoorwayCall, DoorwayEnd, DoorwayOutput } from '../../contracts/doorway.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { type Answer, type Call, type Command, exitCodes } from '../call/command.ts'
import type { Services } from '../call/services.ts'
import * as read from '../call/values.ts'
import type { Word } from '../call/words.ts'
import { commands } from '../commands/index.ts'
import { doorwayOperations } from './list.ts'

// The outer side of an agent's command line: one operation of the list, with an input that its schema has parsed.

/** The services that operations of the doorway use; there are no others. */
export type DoorwayServices = Pick<
  Services,
  'version' | 'diagnose' | 'fileLock' | 'keepNote' | 'nextChange' | 'repositoryRoot' | 'settingsOf'
>

/**
 * Performs an operation as the caller, whose token was checked for the connection. Never rejects; `report` gets what only
 * a person should see.
 */
export const performForAgent = async (
  { operation, input, shown }: DoorwayCall,
  { connection, caller, services, report }: Agent,
  { out, err, signal }: DoorwayOutput,
): Promise<DoorwayEnd> => {
  try {
    const command = commandOf(operation)
    const { root } = connection.core
    const call: Call = {
      // Operations of the list use no others: what they would start or write does not exist here.
      services: { ...services, open: () => Promise.resolve(connection) } as unknown as Services,
      // Of its own variables only those that say who it is.
      environment: {
        ...process.env,
        AISWARM_AGENT_ID: caller.agentId,
        AISWARM_AGENT_TOKEN: undefined,
        AISWARM_ROOT: root,
        TERM: shown.clears ? 'xterm' : 'dumb',
      },
      root,
      json: shown.json,
      commands,
      streams: {
        ...{ out, err, signal },
        stdinIsTerminal: false,
        stdoutIsTerminal: shown.terminal,
        columns: () => shown.columns ?? undefined,
        readInput: refuseInput,
        ask: refuseInput,
      },
    }
    return { answer: answerOf(await command.run(parsedInput(command, input) as never, call), shown.json) }
  } catch (error) {
    return endOf(error, report)
  }
}

interface Agent {
  readonly connection: Connection
  readonly caller: Caller
  readonly services: DoorwayServices
  readonly report: (sentence: string) => void
}

const refuseInput = (): Promise<string> =>
  Promise.reject(new Refusal('needs_terminal', 'Nothing is read from an agent but its request.'))

const commandOf = (operation: string): Command => {
  const command = doorwayOperations.has(operation) ? commands.find(({ path }) => path === operation) : undefined
  if (command === undefined)
    throw new Refusal('not_allowed', `'aiswarm ${operation.slice(0, 60)}' is not for an agent in a sandbox.`)
  return command
}

const answerOf = ({ json, text, code = exitCodes.done }: Answer, asJson: boolean) =>
  json === undefined ? { code } : asJson ? { json, code } : { text, code }

const endOf = (error: unknown, report: (sentence: string) => void): DoorwayEnd => {
  if (error instanceof CommanderError) return { usage: error.message }
  const refusal = isRefusal(error) ? error : asRefusal(error)
  if (refusal) return { refusal: { code: refusal.code, message: refusal.message } }
  report(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return { bug: error instanceof Error ? error.message : String(error) }
}

/** The words of a command as its run takes them. Refuses what the schema refuses. */
const parsedInput = (command: Command, input: unknown): Readonly<Record<string, unknown>> => {
  const result = schemaOf(command).safeParse(input)
  if (result.success) return { ...absentWords(command), ...result.data }
  const { path, message } = result.error.issues[0]!
  throw new Refusal('invalid_input', `${command.path}${path.length > 0 ? ` at ${path.join('.')}` : ''}: ${message}.`)
}

/** Words that do not exist in the doorway are as if they were not given. */
const absentWords = ({ words }: Command): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(words).map(([key, word]) => [key, word.form === 'flag' ? false : word.repeated ? [] : undefined]),
  )

const schemas = new Map<Command, z.ZodObject>()

/** The schema of an operation's input: exactly the words that the list names, as their readers would have read them. */
const schemaOf = (command: Command): z.ZodObject => {
  const known = schemas.get(command)
  if (known) return known
  const keys = doorwayOperations.get(command.path)!
  const made = z.strictObject(Object.fromEntries(keys.map((key) => [key, valueOf(command.words[key]!)])))
  schemas.set(command, made)
  return made
}

/** The most values of a word that may be repeated. */
const MOST = 10_000

const valueOf = (word: Word<unknown>): z.ZodType => {
  if (word.form === 'flag') return z.boolean().default(false)
  const one = word.choices.length > 0 ? z.enum(word.choices) : forms.get(word.read)!()
  if (word.repeated) return word.required ? z.array(one).min(1).max(MOST) : z.array(one).max(MOST).default([])
  return word.required ? one : one.optional()
}

const number = () => z.int().min(1)
const sum = () => z.number().positive()

/** The schemas of the values that the readers of words return. */
const forms: ReadonlyMap<unknown, () => z.ZodType> = new Map<unknown, () => z.ZodType>([
  [read.text, () => z.string()],
  [read.name, () => z.string().trim().min(1)],
  [read.whole, () => z.int()],
  [read.count, number],
  [read.percent, () => z.int().min(0).max(100)],
  [read.dollars, sum],
  [read.countOrNone, () => number().nullable()],
  [read.dollarsOrNone, () => sum().nullable()],
  [read.taskNumbers, () => z.array(number()).max(MOST)],
  [read.labels, () => z.array(z.string()).max(MOST)],
  [read.json, () => z.json()],
])
