import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../../domain/words/time.ts'

// Parses the text of an argument or option; invalid text is an error with exit code 2.

export const text = (given: string): string => given

export const name = (given: string): string => {
  if (given.trim() === '') throw new InvalidArgumentError('A name was expected.')
  return given
}

export const whole = (given: string): number => {
  const number = digits(given)
  if (!Number.isSafeInteger(number))
    throw new InvalidArgumentError(`A whole number from -${MOST} to ${MOST} was expected.`)
  return number
}

export const count = (given: string): number => {
  const number = digits(given)
  if (number < 1) throw new InvalidArgumentError('A whole number of 1 or more was expected.')
  if (number > MOST) throw new InvalidArgumentError(`A whole number from 1 to ${MOST} was expected.`)
  return number
}

export const dollars = (given: string): number => {
  const sum = Number(given.replace(/^\$/, ''))
  if (!/^\$?\d+(\.\d+)?$/.test(given) || !(sum > 0))
    throw new InvalidArgumentError('A sum in dollars was expected, such as 2.50.')
  return sum
}

/** As the parser, or `none`, which is null. */
export const orNone =
  <T>(parse: (given: string) => T) =>
  (given: string): T | null =>
    given === 'none' ? null : parse(given)

export const dollarsOrNone = orNone(dollars)

/** As the parser; an empty text is null, which removes the value. */
export const orEmpty =
  <T>(parse: (given: string) => T) =>
  (given: string): T | null =>
    given.trim() === '' ? null : parse(given)

export const countOrNone = orNone(count)

/** Tasks are numbered from 1. */
export const taskNumber = count

/** A TCP port; with 0 the system chooses one. */
export const port = (given: string): number => {
  const number = digits(given)
  if (number < 0 || number > 65_535) throw new InvalidArgumentError('A port from 0 to 65535 was expected.')
  return number
}

export const percent = (given: string): number => {
  const number = digits(given)
  if (number < 0 || number > 100) throw new InvalidArgumentError('A whole number from 0 to 100 was expected.')
  return number
}

/** The largest number that is exact. */
const MOST = Number.MAX_SAFE_INTEGER

/** Parses a number that may be too large to be exact. */
const digits = (given: string): number => {
  if (!/^[+-]?\d+$/.test(given)) throw new InvalidArgumentError('A whole number was expected.')
  return Number(given)
}

/** `claude,codex` */
export const names = (given: string): readonly string[] => given.split(',').map((piece) => name(piece).trim())

/** `linux,big`; an empty text is an empty list. */
export const labels = (given: string): string[] =>
  given.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))

export const onOff = (given: string): boolean => {
  if (given === 'on' || given === 'off') return given === 'on'
  throw new InvalidArgumentError('on or off was expected.')
}

/** `10m`, in milliseconds. */
export const time = (given: string): number => {
  const parsed = parseDuration(given)
  if (parsed === undefined) throw new InvalidArgumentError('A time was expected, such as 30s or 10m.')
  return parsed
}

/** `1,2` or `1, 2`; an empty text is an empty list. */
export const taskNumbers = (given: string): readonly number[] =>
  given.trim() === '' ? [] : given.split(',').map((piece) => taskNumber(piece.trim()))

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

export const json = (given: string): Json => {
  try {
    return JSON.parse(given) as Json
  } catch (error) {
    throw new InvalidArgumentError(`A JSON value was expected (${(error as Error).message}).`)
  }
}
