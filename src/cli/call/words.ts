/** The things on the board whose names a shell offers. */
export const named = ['tasks', 'worktrees', 'agents', 'personas', 'sessions', 'requests'] as const
export type Named = (typeof named)[number]

/** One word of a command line: a positional argument, an option with a value, or a flag. */
export interface Word<T> {
  readonly form: 'argument' | 'option' | 'flag'
  /** `ID` for an argument, `--persona` for an option or a flag. */
  readonly name: string
  /** The placeholder for the value of an option in help. */
  readonly value: string | null
  readonly description: string
  readonly required: boolean
  readonly repeated: boolean
  readonly choices: readonly string[]
  /** The sort of things that a value names, so that a shell can offer those that exist. */
  readonly names: Named | null
  /** True if it names a file, `-` for standard input, whose content is its value. */
  readonly content: boolean
  /** True for a new name: `-x` in its place is an invalid name, not an unknown option. */
  readonly given: boolean
  /** Parses a text; throws an `InvalidArgumentError` with the expected form. */
  readonly read: (text: string) => unknown
  /** Carries the type only. */
  readonly means?: T
}

export type Words = Readonly<Record<string, Word<unknown>>>

/** The parsed words of a command. */
export type Meaning<W> = { readonly [K in keyof W]: W[K] extends Word<infer T> ? T : never }

export const argument = <T>(name: string, description: string, read: (text: string) => T): Word<T> => ({
  ...plain,
  form: 'argument',
  name,
  description,
  required: true,
  read,
})

/** An optional argument. */
export const optionalArgument = <T>(
  name: string,
  description: string,
  read: (text: string) => T,
): Word<T | undefined> => ({
  ...argument(name, description, read),
  required: false,
})

/** An argument that names something new. */
export const newName = <T>(name: string, description: string, read: (text: string) => T): Word<T> => ({
  ...argument(name, description, read),
  given: true,
})

/** All remaining arguments, at least one unless they are optional. */
export const several = <T>(
  name: string,
  description: string,
  read: (text: string) => T,
  how: 'needed' | 'optional' = 'needed',
): Word<readonly T[]> => ({
  ...plain,
  form: 'argument',
  name,
  description,
  required: how === 'needed',
  repeated: true,
  read,
})

export const option = <T>(
  name: string,
  value: string,
  description: string,
  read: (text: string) => T,
): Word<T | undefined> => ({
  ...plain,
  form: 'option',
  name,
  value,
  description,
  read,
})

export const needed = <T>(name: string, value: string, description: string, read: (text: string) => T): Word<T> => ({
  ...plain,
  form: 'option',
  name,
  value,
  description,
  required: true,
  read,
})

export const repeated = <T>(
  name: string,
  value: string,
  description: string,
  read: (text: string) => T,
): Word<readonly T[]> => ({
  ...plain,
  form: 'option',
  name,
  value,
  description,
  repeated: true,
  read,
})

export const flag = (name: string, description: string): Word<boolean> => ({
  ...plain,
  form: 'flag',
  name,
  description,
  read: asGiven,
})

/** The same word, which names a file: the command gets the content. */
export const contentOf = (word: Word<string>): Word<string> => ({ ...word, content: true })

/** An option with a fixed set of values. */
export const choice = <const T extends string>(
  name: string,
  value: string,
  description: string,
  choices: readonly T[],
): Word<T | undefined> => ({
  ...plain,
  form: 'option',
  name,
  value,
  description,
  choices,
  read: asGiven,
})

/** An argument with a fixed set of values. */
export const pick = <const T extends string>(name: string, description: string, choices: readonly T[]): Word<T> => ({
  ...plain,
  form: 'argument',
  name,
  description,
  required: true,
  choices,
  read: asGiven,
})

/** The same word, whose value names something that exists. */
export const naming = <T>(names: Named, word: Word<T>): Word<T> => ({ ...word, names })

/** The word's notation in the documentation: `ID`, `[HOST]`, `--persona P`, `[--follow]`, `[--criterion TEXT]…`. */
export const usage = (word: Word<unknown>): string => {
  if (word.form === 'argument') return argumentUsage(word)
  const whole = word.value === null ? word.name : `${word.name} ${word.value}`
  return `${word.required ? whole : `[${whole}]`}${word.repeated ? '…' : ''}`
}

const argumentUsage = ({ name, choices, repeated, required }: Word<unknown>): string => {
  const whole = `${choices.length > 0 ? choices.join('|') : name}${repeated ? '…' : ''}`
  return required ? whole : `[${whole}]`
}

const asGiven = (text: string): string => text

const plain = {
  value: null,
  required: false,
  repeated: false,
  choices: [],
  names: null,
  content: false,
  given: false,
} as const
