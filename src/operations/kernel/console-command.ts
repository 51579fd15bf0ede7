/** One word of a command line as a form asks for it. */
export interface CommandWord {
  readonly key: string
  /** `ID`, or `--persona`. */
  readonly name: string
  readonly kind: 'text' | 'number' | 'choice' | 'flag'
  readonly description: string
  /** How a text of its own form is written: `1,2`, or `JSON`. */
  readonly form: string | null
  readonly required: boolean
  /** Several values, parted by spaces as in a shell. */
  readonly repeated: boolean
  readonly choices: readonly string[]
}

/** What is typed for each word, by its key; nothing where it is left out, `yes` for a flag. */
export type CommandValues = Readonly<Record<string, string>>

/** A command of the command line as the console offers it. */
export interface ConsoleCommand {
  /** `task add` */
  readonly path: string
  readonly summary: string
  readonly words: readonly CommandWord[]
  /** Takes something away, so the console asks first. */
  readonly destroys: (values: CommandValues) => boolean
  /** The line that does the same, a word each: `aiswarm task retry 3`. */
  readonly line: (values: CommandValues) => readonly string[]
  /** What is wrong with the values, by the keys of the words; `''` for what is wrong with all of them. Does nothing. */
  readonly refusals: (values: CommandValues) => Readonly<Record<string, string>>
  /** Does it, and gives what it has to say. Throws a `Refusal`. */
  readonly run: (values: CommandValues) => Promise<string>
}
