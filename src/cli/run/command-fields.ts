import { InvalidArgumentError } from 'commander'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { isUnclosed, wordsIn } from '../../domain/words/shell-words.ts'
import type { CommandValues, CommandWord } from '../../contracts/console.ts'
import type { Connection } from '../../operations/door/connection.ts'
import type { Command } from '../call/command.ts'
import { count, json, percent, port, taskNumber, taskNumbers, whole } from '../call/values.ts'
import type { Word } from '../call/words.ts'

type NamedWords = readonly (readonly [string, Word<unknown>])[]

const numbers = new Set<unknown>([whole, count, taskNumber, port, percent])

/** Readers of texts with a format. */
const formed = new Set<unknown>([taskNumbers, json])

export const askedFor = (
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
export const lineOf = (
  path: string,
  words: NamedWords,
  values: CommandValues,
  more: readonly string[],
): readonly string[] => {
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

export const refusalsOf = (
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
