import { resolve } from 'node:path'
import { CommanderError } from 'commander'
import type { Refusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { type Answer, type Call, type Command, exitCodes } from '../call/command.ts'
import { commands } from '../commands/index.ts'
import { buildProgram, type Common } from './program.ts'
import type { Services } from '../call/services.ts'
import { type Streams, withContents } from '../call/streams.ts'

/** Has a command carried out by another process; undefined if this one does it. Refuses as the command would. */
export type Elsewhere = (
  command: Command,
  words: Readonly<Record<string, unknown>>,
  call: Call,
) => Promise<Answer | undefined>

/**
 * Runs one command line (`argv` without node and script) and returns its exit code. Never ends the process itself.
 * Errors go to `streams.err`: one sentence, or with `--json` one JSON value `{"error": {"code", "message"}}`.
 */
export const runCli = async (
  argv: readonly string[],
  streams: Streams,
  services: Services,
  environment: Readonly<Record<string, string | undefined>>,
  elsewhere?: Elsewhere,
): Promise<number> => {
  let json = mentionsJson(argv)
  let code: number = exitCodes.done
  const run = async (command: Command, words: Readonly<Record<string, unknown>>, common: Common): Promise<void> => {
    json = common.json
    const call: Call = { streams, services, environment, root: resolve(common.root ?? '.'), json, commands }
    const meaning = await withContents(command.words, words, streams)
    const answer = (await elsewhere?.(command, meaning, call)) ?? (await command.run(meaning as never, call))
    if (answer.json !== undefined) streams.out(json ? jsonText(answer.json, streams) : lines(answer.text))
    code = answer.code ?? exitCodes.done
  }
  try {
    await buildProgram(commands, streams, services.version, run).parseAsync(withDefaultCommand(argv), { from: 'user' })
    return code
  } catch (error) {
    return report(error, json, streams)
  }
}

/** `aiswarm` without a command opens the console. */
const withDefaultCommand = (argv: readonly string[]): readonly string[] => {
  let at = 0
  while (at < argv.length) {
    if (argv[at] === '--json' || argv[at]!.startsWith('--root=')) at += 1
    else if (argv[at] === '--root' && at + 1 < argv.length) at += 2
    else return argv
  }
  return [...argv, 'tui']
}

const mentionsJson = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json')
}

const jsonText = (value: unknown, streams: Streams): string =>
  `${JSON.stringify(value, null, streams.stdoutIsTerminal ? 2 : 0)}\n`

const lines = (text: string): string => (text === '' ? '' : `${text.trimEnd()}\n`)

/** Prints an error and returns the exit code. */
export const report = (error: unknown, json: boolean, streams: Streams): number => {
  if (error instanceof CommanderError) return reportUsage(error, json, streams)
  const refusal = asRefusal(error)
  if (refusal) return reportRefusal(refusal, json, streams)
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
  streams.err(json ? failure('bug', message, stack) : `This is a bug in aiswarm: ${message}\n${stack ?? ''}\n`)
  return exitCodes.bug
}

const reportRefusal = (refusal: Refusal, json: boolean, streams: Streams): number => {
  streams.err(json ? failure(refusal.code, refusal.message) : `${safeText(refusal.message)}\n`)
  return refusal.code === 'invalid_input' ? exitCodes.usage : exitCodes.refused
}

/** Commander throws for help and the version too, which are already printed. */
const reportUsage = (error: CommanderError, json: boolean, streams: Streams): number => {
  if (error.code === 'commander.help' || error.exitCode === 0)
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  const sentence = error.message.replace(/^error: /, '')
  streams.err(json ? failure('invalid_input', sentence) : `${safeText(sentence)}\n`)
  return exitCodes.usage
}

const failure = (code: string, message: string, stack?: string): string =>
  `${JSON.stringify({ error: { code, message, ...(stack === undefined ? {} : { stack }) } })}\n`
