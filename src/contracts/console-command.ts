/** One word of a command line as a field of a form. */
export interface CommandWord {
  readonly key: string
  /** `ID`, or `--persona`. */
  readonly name: string
  readonly kind: 'text' | 'number' | 'choice' | 'flag'
  readonly description: string
  /** The format of a text that is not free: `1,2`, or `JSON`. */
  readonly form: string | null
  readonly required: boolean
  /** True for several values, separated by spaces as in a shell. */
  readonly repeated: boolean
  readonly choices: readonly string[]
}

/** The typed text for each word, by its key; absent if it is left out, `yes` for a flag. */
export type CommandValues = Readonly<Record<string, string>>

/** A command of the command line in the console. */
export interface ConsoleCommand {
  /** `task add` */
  readonly path: string
  readonly summary: string
  readonly words: readonly CommandWord[]
  /** True if it discards something, so that the console asks first. */
  readonly destroys: (values: CommandValues) => boolean
  /** The equivalent command line, word by word: `aiswarm task retry 3`. */
  readonly line: (values: CommandValues) => readonly string[]
  /** The errors in the values, by the keys of the words; `''` for errors of the whole. Does nothing else. */
  readonly refusals: (values: CommandValues) => Readonly<Record<string, string>>
  /** Runs it and returns its output. Throws a `Refusal`. */
  readonly run: (values: CommandValues) => Promise<string>
}
