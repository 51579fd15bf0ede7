/** One word of a command line that means something: an argument in its place, an option with a value, or a flag. */
export interface Word<T> {
  readonly form: 'argument' | 'option' | 'flag'
  /** `ID` for an argument, `--persona` for an option or a flag. */
  readonly name: string
  /** What help calls the value of an option. */
  readonly value: string | null
  readonly description: string
  readonly required: boolean
  readonly repeated: boolean
  readonly choices: readonly string[]
  /** A name that is being given: `-x` in its place is a bad name, not an unknown option. */
  readonly given: boolean
  /** What a given text means; throws an `InvalidArgumentError` that says what was expected. */
  readonly read: (text: string) => unknown
  /** Carries the type only. */
  readonly means?: T
}

export type Words = Readonly<Record<string, Word<unknown>>>

/** What the words of a command mean once they are read. */
export type Meaning<W> = { readonly [K in keyof W]: W[K] extends Word<infer T> ? T : never }

export const argument = <T>(name: string, description: string, read: (text: string) => T): Word<T> => ({ ...plain, form: 'argument', name, description, required: true, read })

/** An argument that may be left out. */
export const optionalArgument = <T>(name: string, description: string, read: (text: string) => T): Word<T | undefined> => ({
  ...argument(name, description, read),
  required: false,
})

/** An argument that names something new. */
export const newName = <T>(name: string, description: string, read: (text: string) => T): Word<T> => ({ ...argument(name, description, read), given: true })

/** All the arguments that are left, at least one unless they are optional. */
export const several = <T>(name: string, description: string, read: (text: string) => T, how: 'needed' | 'optional' = 'needed'): Word<readonly T[]> => ({
  ...plain,
  form: 'argument',
  name,
  description,
  required: how === 'needed',
  repeated: true,
  read,
})

export const option = <T>(name: string, value: string, description: string, read: (text: string) => T): Word<T | undefined> => ({
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

export const repeated = <T>(name: string, value: string, description: string, read: (text: string) => T): Word<readonly T[]> => ({
  ...plain,
  form: 'option',
  name,
  value,
  description,
  repeated: true,
  read,
})

export const flag = (name: string, description: string): Word<boolean> => ({ ...plain, form: 'flag', name, description, read: asGiven })

/** An option of which only some values make sense. */
export const choice = <const T extends string>(name: string, value: string, description: string, choices: readonly T[]): Word<T | undefined> => ({
  ...plain,
  form: 'option',
  name,
  value,
  description,
  choices,
  read: asGiven,
})

/** An argument of which only some values make sense. */
export const pick = <const T extends string>(name: string, description: string, choices: readonly T[]): Word<T> => ({
  ...plain,
  form: 'argument',
  name,
  description,
  required: true,
  choices,
  read: asGiven,
})

/** How help and README write the word: `ID`, `--persona P`, `[--follow]`, `[--criterion TEXT]…`. */
export const usage = (word: Word<unknown>): string => {
  if (word.form === 'argument') return argumentUsage(word)
  const whole = word.value === null ? word.name : `${word.name} ${word.value}`
  return `${word.required ? whole : `[${whole}]`}${word.repeated ? '…' : ''}`
}

const argumentUsage = ({ name, choices, repeated, required }: Word<unknown>): string => {
  if (choices.length > 0) return choices.join('|')
  if (!repeated) return name
  return required ? `${name}…` : `[${name}…]`
}

const asGiven = (text: string): string => text

const plain = { value: null, required: false, repeated: false, choices: [], given: false } as const
