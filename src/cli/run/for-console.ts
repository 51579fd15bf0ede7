import { CommanderError } from 'commander'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { CommandValues, ConsoleCommand } from '../../contracts/console.ts'
import type { Connection } from '../../operations/door/connection.ts'
import type { Answer, Call, Command } from '../call/command.ts'
import { commands } from '../commands/index.ts'
import { exitCodes } from '../call/exit-codes.ts'
import { buildProgram } from './program.ts'
import type { Services, Streams } from '../call/services.ts'
import { askedFor, lineOf, refusalsOf } from './command-fields.ts'

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
        answer = await found.run(meaning as never, call)
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
