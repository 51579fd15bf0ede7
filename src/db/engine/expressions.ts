import {
  type AliasableExpression,
  type Expression,
  ExpressionWrapper,
  FunctionNode,
  type OperationNode,
  sql,
  type SqlBool,
} from 'kysely'
import type { Span } from '../../domain/session/span.ts'
import { type Instant, milliseconds } from '../../domain/words/time.ts'

// Expressions that the engines spell differently. A query names the word; the compiler of its engine prints that engine's spelling.

/** `$0`, `$1` … stand for the arguments; those that a spelling leaves out are not sent to its engine. */
export type Spellings = Readonly<Record<Word, string>>

type Word =
  | 'later of'
  | 'seconds between'
  | 'second of'
  | 'bucket of second'
  | 'unindexed'
  | 'globbed'
  | 'like folded'
  | 'containing'
  | 'holding words'
  | 'rank of words'

/** The later of two instants; both must be there. */
export const latest = (one: Expression<Instant>, other: Expression<Instant>): AliasableExpression<Instant> =>
  word('later of', [one, other])

/** Seconds from one instant to another, at least 0; null if one is missing. */
export const secondsBetween = (
  from: Expression<Instant | null>,
  to: Expression<Instant | null>,
): AliasableExpression<number> => word('seconds between', [from, to])

/** The whole second (since 1970) of an instant. */
export const secondOf = (at: Expression<unknown>): AliasableExpression<number> => word('second of', [at])

/** The number of a second's (since 1970) bucket; seconds outside belong to the nearest. */
export const bucketOfSecond = (
  second: Expression<unknown>,
  { start, step, buckets }: Span,
): AliasableExpression<number> =>
  word('bucket of second', [second, sql`${milliseconds(start)}`, sql`${step}`, sql`${buckets - 1}`])

/** The column's value, which the planner does not look up in an index. */
export const unindexed = (column: Expression<unknown>): AliasableExpression<unknown> => word('unindexed', [column])

/** True if the text is that of a pattern in which `*` stands for any number of characters, all others for themselves. */
export const globbed = (text: Expression<unknown>, pattern: string): AliasableExpression<SqlBool> =>
  word('globbed', [
    text,
    sql`${pattern.replace(/[[?]/g, '[$&]')}`,
    sql`${`^${pattern.split('*').map(plain).join('.*')}$`}`,
  ])

/** True if the text contains the words, ignoring the case of ASCII letters. */
export const likeFolded = (text: Expression<unknown>, words: string): AliasableExpression<SqlBool> =>
  word('like folded', [text, sql`${`%${foldAscii(words).replace(/[\\%_]/g, '\\$&')}%`}`])

/** True if the text contains the word, ignoring the case of all letters. */
export const containing = (text: Expression<unknown>, contained: string): AliasableExpression<SqlBool> =>
  // LIKE folds ASCII only; a pattern names both cases of each letter.
  word('containing', [
    text,
    sql`${`*${[...contained].map((letter) => eitherCase(letter, '*?[')).join('')}*`}`,
    sql`${[...contained].map((letter) => eitherCase(letter, PATTERN)).join('')}`,
  ])

/** Prints a word in the spelling of an engine: text through `append`, arguments through `visit`. */
export const spell = (
  spelling: string,
  args: readonly OperationNode[],
  append: (text: string) => void,
  visit: (node: OperationNode) => void,
): void => {
  for (const part of spelling.split(/(\$\d)/)) {
    if (/^\$\d$/.test(part)) visit(args[Number(part[1])]!)
    else append(part)
  }
}

export const word = <T>(name: Word, args: readonly Expression<unknown>[]): AliasableExpression<T> =>
  new ExpressionWrapper(
    FunctionNode.create(
      name,
      args.map((argument) => argument.toOperationNode()),
    ),
  )

const foldAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** The characters that mean something in a regular expression. */
const PATTERN = '\\^$.|?*+()[]{}'

const plain = (text: string): string => [...text].map((letter) => inBrackets(letter, PATTERN)).join('')

/** A class makes a character plain text in every kind of pattern, except those that mean something in a class. */
const inBrackets = (character: string, special: string): string =>
  !special.includes(character)
    ? character
    : character === '^' || character === '\\'
      ? `\\${character}`
      : `[${character}]`

const eitherCase = (character: string, special: string): string => {
  if (special.includes(character)) return inBrackets(character, special)
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()]
  // A case mapping to several characters, such as ß in capitals, cannot be a class.
  return lower !== upper && [...lower].length === 1 && [...upper].length === 1 ? `[${lower}${upper}]` : character
}
