import { Argument, Command as Program, Option } from 'commander'
import { type Command, nouns } from '../call/command.ts'
import type { Streams } from '../call/streams.ts'
import type { Word } from '../call/words.ts'

/** Options that every command accepts. */
export interface Common {
  readonly json: boolean
  readonly root: string | undefined
}

export type Run = (command: Command, words: Readonly<Record<string, unknown>>, common: Common) => Promise<void>

/**
 * Commander's program for the table: it parses the words and calls `run` with the row. Throws `CommanderError`, never
 * exits.
 */
export const buildProgram = (commands: readonly Command[], streams: Streams, version: string, run: Run): Program => {
  const program = common(new Program('aiswarm'))
    .description(
      'A terminal console that runs a swarm of coding agents on one git repository. Without a command, it opens the console.',
    )
    .version(version, '--version', 'Print the version')
    .exitOverride()
    .configureOutput({ writeOut: streams.out, writeErr: streams.err, outputError: () => {} })
    // An option belongs to the command that it follows, so that a value such as `--note --json` stays a value.
    .enablePositionalOptions()
  const groups = new Map([['', program]])
  for (const command of commands) {
    const words = command.path.split(' ')
    addCommand(groupOf(groups, words.slice(0, -1)), words.at(-1)!, command, run)
  }
  return program
}

/** The program of a group such as `task` or `memory adr`, created if it is missing. */
const groupOf = (groups: Map<string, Program>, words: readonly string[]): Program => {
  const path = words.join(' ')
  const known = groups.get(path)
  if (known) return known
  const made = group(groupOf(groups, words.slice(0, -1)), path)
  groups.set(path, made)
  return made
}

const common = (program: Program): Program =>
  program
    .option('--json', 'Print one JSON value')
    .option('--root <DIR>', 'Repository to work on, or a folder in it (default: the current folder)')
    .helpOption('-h, --help', 'Show this help')

const group = (parent: Program, path: string): Program =>
  common(parent.command(path.split(' ').at(-1)!))
    .description(nouns[path] ?? '')
    .enablePositionalOptions()

const addCommand = (parent: Program, name: string, command: Command, run: Run): void => {
  const program = parent.command(name).description(`${command.summary}.`)
  const values = Object.entries(command.words)
  const argumentKeys = values.filter(([, word]) => word.form === 'argument').map(([key]) => key)
  const options = new Map<string, Option>()
  for (const [key, word] of values) {
    if (word.form === 'argument') program.addArgument(argumentOf(word))
    else options.set(key, addOption(program, word))
  }
  if (values.some(([, word]) => word.given)) program.allowUnknownOption()
  common(program).addHelpText('after', `\nExample:\n  $ aiswarm ${command.example}`)
  program.action(async () => {
    const words: Record<string, unknown> = {}
    for (const [at, key] of argumentKeys.entries())
      words[key] = program.processedArgs[at] ?? absent(command.words[key]!)
    for (const [key, option] of options) {
      const value: unknown = program.getOptionValue(option.attributeName())
      // Commander parses `--no-wait` as `wait: false`; here it is a separate flag.
      words[key] = option.negate ? value === false : givenNull(value) ? null : (value ?? absent(command.words[key]!))
    }
    await run(command, words, commonOf(program))
  })
}

/** Commander treats null as a missing value, but null is a value in JSON. */
const NULL = Symbol('null')
const keptNull = (value: unknown): unknown => (value === null ? NULL : value)
const givenNull = (value: unknown): boolean => value === NULL

const argumentOf = (word: Word<unknown>): Argument => {
  if (word.repeated) {
    const argument = new Argument(word.required ? `<${word.name}...>` : `[${word.name}...]`, word.description)
    return argument.argParser((text: string, before: readonly unknown[] | undefined) => [
      ...(before ?? []),
      word.read(text),
    ])
  }
  const argument = new Argument(word.required ? `<${word.name}>` : `[${word.name}]`, word.description)
  return word.choices.length > 0 ? argument.choices([...word.choices]) : argument.argParser(word.read)
}

const addOption = (program: Program, word: Word<unknown>): Option => {
  const option = new Option(
    word.value === null ? word.name : `${word.name} <${word.value}>`,
    word.required ? `${word.description} (required)` : word.description,
  )
  if (word.choices.length > 0) option.choices([...word.choices])
  else if (word.repeated)
    option.argParser((text: string, before: readonly unknown[] | undefined) => [...(before ?? []), word.read(text)])
  else if (word.form === 'option') option.argParser((text: string) => keptNull(word.read(text)))
  program.addOption(option.makeOptionMandatory(word.required))
  return option
}

const absent = (word: Word<unknown>): unknown => {
  if (word.form === 'flag') return false
  return word.repeated ? [] : undefined
}

/** `--json` and `--root` may be at any level; the one nearest to the command takes precedence. */
const commonOf = (program: Program): Common => {
  const levels: { json?: boolean; root?: string }[] = []
  for (let at: Program | null = program; at; at = at.parent) levels.push(at.opts())
  return {
    json: levels.some((level) => level.json === true),
    root: levels.find((level) => level.root !== undefined)?.root,
  }
}
