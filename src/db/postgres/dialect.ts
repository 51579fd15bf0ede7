import {
  type BinaryOperationNode,
  type FunctionNode,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  PostgresQueryCompiler,
} from 'kysely'
import type { Db } from '../engine/db.ts'
import { spell, type Spellings } from '../engine/expressions.ts'
import type { Schema } from '../schema/schema.ts'

/** A connection to the server, of `pg` or of another program that speaks alike. */
export type Client = PostgresPoolClient
export type Pool = PostgresPool

const spellings: Spellings = {
  'later of': 'greatest($0, $1)',
  // Null if an instant is missing, which greatest() would pass over.
  'seconds between':
    '((extract(epoch from ($1)::timestamptz - ($0)::timestamptz) + abs(extract(epoch from ($1)::timestamptz - ($0)::timestamptz))) / 2)::float8',
  'second of': 'floor(extract(epoch from ($0)::timestamptz))::bigint',
  'bucket of second':
    'trunc(least(($3)::float8, greatest(0, (($0)::float8 * 1000 - ($1)::float8) / ($2)::float8)))::bigint',
  unindexed: '$0',
  globbed: '($0 ~ $2)',
  // A column in byte order folds ASCII letters only.
  'like folded': "(lower($0) LIKE $1 ESCAPE '\\')",
  containing: '($0 ~ $2)',
  // The index finds rows with all words; each phrase must then occur in the stream.
  'holding words':
    "($0.words @> (SELECT coalesce(array_agg(left(word, 60)), '{}') FROM unnest(($2)::text[]) AS word) AND cardinality(($3)::text[]) > 0 AND (SELECT bool_and(position(' ' || phrase || ' ' in $0.stream) > 0) FROM unnest(($3)::text[]) AS phrase))",
  // More occurrences in a shorter text are better.
  'rank of words':
    "((SELECT -1000 * sum(length($0.stream) - length(replace($0.stream, ' ' || phrase || ' ', repeat(' ', 1 + length(phrase))))) FROM unnest(($3)::text[]) AS phrase)::float8 / (1000 + length($0.stream)))",
}

class SpellingCompiler extends PostgresQueryCompiler {
  /** SQLite knows that nothing is in an empty list, for which PostgreSQL has no syntax. */
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand } = node
    const empty = 'values' in rightOperand && (rightOperand.values as readonly unknown[]).length === 0
    const word = 'operator' in operator ? operator.operator : undefined
    if (empty && (word === 'in' || word === 'not in')) return this.append(word === 'in' ? 'false' : 'true')
    super.visitBinaryOperation(node)
  }

  protected override visitFunction(node: FunctionNode): void {
    const spelling = (spellings as Readonly<Record<string, string>>)[node.func]
    if (spelling === undefined) return super.visitFunction(node)
    spell(
      spelling,
      node.arguments,
      (text) => this.append(text),
      (argument) => this.visitNode(argument),
    )
  }
}

class SealingAdapter extends PostgresAdapter {
  readonly sealsEvents = true
  readonly countsOwnNumbers = true
  readonly insertsInOne = true
}

class SpellingDialect extends PostgresDialect {
  override createAdapter(): SealingAdapter {
    return new SealingAdapter()
  }

  override createQueryCompiler(): PostgresQueryCompiler {
    return new SpellingCompiler()
  }
}

/** Kysely over the connections of a pool. */
export const kyselyOver = (pool: Pool): Db => new Kysely<Schema>({ dialect: new SpellingDialect({ pool }) })

/** Kysely over one connection, which stays its owner's. */
export const kyselyOn = (query: (sql: string, parameters: readonly unknown[]) => Promise<unknown>): Db => {
  const lent: Client = { query: query as Client['query'], release: () => {} }
  return kyselyOver({ connect: () => Promise.resolve(lent), end: () => Promise.resolve() })
}

/** Large integers and sums as numbers; beyond 2^53 they would be others. */
const numberOf = (text: string): number => {
  const number = Number(text)
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number)))
    throw new RangeError(`${text} is beyond the numbers of JavaScript.`)
  return number
}

/** How values of some types of PostgreSQL are read, by the numbers of the types: as SQLite gives them. */
export const parsers: Readonly<Record<number, (text: string) => number>> = {
  // int8, numeric and bool
  20: numberOf,
  1700: numberOf,
  16: (text) => (text === 't' ? 1 : 0),
}
