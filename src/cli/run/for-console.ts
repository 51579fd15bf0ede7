import { CommanderError, InvalidArgumentError } from 'commander'
import type { CommandValues, CommandWord, ConsoleCommand } from '../../contracts/console.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { isUnclosed, wordsIn } from '../../domain/words/shell-words.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { type Answer, type Call, type Command, exitCodes } from '../call/command.ts'
import type { Services } from '../call/services.ts'
import { type Streams, withContents } from '../call/streams.ts'
import { count, json, percent, port, taskNumber, taskNumbers, whole } from '../call/values.ts'
import type { Word } from '../call/words.ts'
import { commands } from '../commands/index.ts'
import { buildProgram } from './program.ts'

/**
 * Commands that are unavailable in a console: they use the terminal or a stream, or do what the console does anyway.
 */
const elsewhere = new Set([
  'tui',
  'demo',
  'run',
  'worker',
  'init',
  'fleet join',
  'mcp',
  'metrics',
  'completion',
  'agent run',
  'agent parallel',
  'agent take-over',
])

/** Words that make a command run until Ctrl-C. */
const endless = new Set(['--follow', '--watch', '--serve'])

/**
 * The commands that a person can run in a console, on its connection. `root` is added to their command lines if the
 * shell that started the console would not find the repository by itself.
 */
export const commandsForConsole = (
  connection: Connection,
  services: Services,
  environment: Call['environment'],
  root?: string,
): readonly ConsoleCommand[] =>
  commands
    .filter(({ path }) => !elsewhere.has(path))
    .map((command) =>
      forConsole(command, connection, { ...services, open: () => Promise.resolve(connection) }, environment, root),
    )

const forConsole = (
  command: Command,
  connection: Connection,
  services: Services,
  environment: Call['environment'],
  root?: string,
): ConsoleCommand => {
  const words = Object.entries(command.words).filter(([, { name }]) => !endless.has(name))
  const line = (values: CommandValues, more: readonly string[] = []): readonly string[] =>
    lineOf(command.path, words, values, more)
  return {
    path: command.path,
    summary: command.summary,
    words: words.map(([key, word]) => askedFor(key, word)),
    destroys: (values) => command.grave === true || (command.grave ?? []).some((key) => (values[key] ?? '') !== ''),
    line: (values) => ['aiswarm', ...line(values, root === undefined ? [] : ['--root', root])],
    refusals: (values) => refusalsOf(command, words, values, connection),
    run: async (values) => {
      let answer: Answer | undefined
      let said = ''
      const say = (text: string): void => void (said = (said + text).slice(-MOST_SAID))
      const streams = { ...ofConsole, out: say, err: say }
      const run = async (found: Command, meaning: Readonly<Record<string, unknown>>): Promise<void> => {
        const call: Call = { streams, services, environment, root: connection.core.root, json: false, commands }
        answer = await found.run((await withContents(found.words, meaning, streams)) as never, call)
      }
      try {
        // Runs exactly the command line that is shown, through the same parser as in a shell.
        await buildProgram([command], ofConsole, services.version, run).parseAsync([...line(values)], { from: 'user' })
      } catch (error) {
        throw error instanceof CommanderError
          ? new Refusal('invalid_input', error.message.replace(/^error: /, ''))
          : error
      }
      return saidBy(answer, said)
    },
  }
}

/** The most characters that are kept of a command's output, from its end, because an agent's output has no limit. */
const MOST_SAID = 1_000_000

/**
 * The output and the answer of a command. One sentence with a code other than 0 is a refusal; longer output contains
 * its own explanation.
 */
const saidBy = (answer: Answer | undefined, printed: string): string => {
  const text = `${printed}${answer?.text ?? ''}`.trimEnd()
  if ((answer?.code ?? exitCodes.done) === exitCodes.done || text.includes('\n')) return text
  throw new Refusal('invalid_state', text.replace(/^Error: /, ''))
}

/** A console has its own dialogs, so a command that would ask at a terminal refuses. */
const ofConsole: Streams = {
  out: () => {},
  err: () => {},
  stdinIsTerminal: false,
  stdoutIsTerminal: false,
  readInput: () => Promise.reject(new Refusal('needs_terminal', 'The console has no standard input. Name a file.')),
  ask: () => Promise.reject(new Refusal('needs_terminal', 'The console asks in its own dialogs.')),
}

type NamedWords = readonly (readonly [string, Word<unknown>])[]

const numbers = new Set<unknown>([whole, count, taskNumber, port, percent])

/** Readers of texts with a format. */
const formed = new Set<unknown>([taskNumbers, json])

const askedFor = (
  key: string,
  { name, form, value, read, description, required, repeated, choices }: Word<unknown>,
): CommandWord => ({
  key,
  name,
  kind: form === 'flag' ? 'flag' : choices.length > 0 ? 'choice' : numbers.has(read) && !repeated ? 'number' : 'text',
  description,
  form: formed.has(read) ? value : null,
  required,
  repeated,
  choices,
})

/** Options first: after `--`, a word that begins with a dash is an argument. */
const lineOf = (path: string, words: NamedWords, values: CommandValues, more: readonly string[]): readonly string[] => {
  const options = words
    .filter(([, word]) => word.form !== 'argument')
    .flatMap(([key, word]) =>
      given(word, values[key]).flatMap((value) => (word.form === 'flag' ? [word.name] : [word.name, value])),
    )
  const places = words.filter(([, word]) => word.form === 'argument').flatMap(([key, word]) => given(word, values[key]))
  return [
    ...path.split(' '),
    ...options,
    ...more,
    ...(places.some((value) => value.startsWith('-')) ? ['--'] : []),
    ...places,
  ]
}

const given = (word: Word<unknown>, value = ''): readonly string[] => {
  if (value === '') return []
  return word.repeated ? wordsIn(value) : [value]
}

const refusalsOf = (
  command: Command,
  words: NamedWords,
  values: CommandValues,
  connection: Connection,
): Readonly<Record<string, string>> => {
  const wrong: Record<string, string> = {}
  const meaning: Record<string, unknown> = {}
  // Words without a field in the console are omitted.
  for (const [key, word] of Object.entries(command.words))
    meaning[key] = word.form === 'flag' ? false : word.repeated ? [] : undefined
  for (const [key, word] of words) {
    const texts = given(word, values[key])
    if (word.repeated && isUnclosed(values[key] ?? ''))
      wrong[key] = 'A quote is not closed. To use a quote as a character, put it in quotes of the other kind.'
    if (texts.length === 0 && word.required) wrong[key] = 'This field is required.'
    if (texts.length === 0) continue
    try {
      const read = texts.map((text) => word.read(text))
      meaning[key] = word.form === 'flag' ? true : word.repeated ? read : read[0]
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error
      wrong[key] = error.message
    }
  }
  return Object.keys(wrong).length > 0 ? wrong : bySchema(command, meaning, connection)
}

const bySchema = (
  command: Command,
  meaning: Readonly<Record<string, unknown>>,
  connection: Connection,
): Readonly<Record<string, string>> => {
  try {
    return command.refusals?.(meaning as never, connection) ?? {}
  } catch (error) {
    if (isRefusal(error) || error instanceof InvalidArgumentError) return { '': error.message }
    throw error
  }
}
