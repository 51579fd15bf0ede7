import type { Database as Connection, Statement } from 'better-sqlite3'
import {
  type FunctionNode,
  Kysely,
  type LimitNode,
  type SqliteDatabase as KyselySqlite,
  SqliteDialect,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely'
import type { Db } from '../engine/db.ts'
import { spell, type Spellings } from '../engine/expressions.ts'
import type { Schema } from '../schema/schema.ts'

/** Provides Kysely with a connection, which may have been replaced, and handles its errors. */
interface Source {
  /** Throws if nothing may be read or written at this moment. */
  readonly connection: () => Connection
  /** Returns the error to throw for an error of SQLite. */
  readonly explain: (error: unknown) => unknown
}

/**
 * Kysely over one connection, with each statement compiled once (measured: 140 → 55 µs for a two-statement
 * transaction).
 */
export const kyselyOver = (source: Source): Db =>
  new Kysely<Schema>({ dialect: new SpellingDialect({ database: rememberingStatements(source) }) })

const spellings: Spellings = {
  'later of': 'max($0, $1)',
  'seconds between': "max(0.0, unixepoch($1, 'subsec') - unixepoch($0, 'subsec'))",
  'second of': 'unixepoch($0)',
  // Large parameters arrive as floating point, hence the CAST.
  'bucket of second': 'CAST(min($3, max(0, ($0 * 1000 - $1) / $2)) AS INTEGER)',
  unindexed: '+$0',
  globbed: '$0 GLOB $1',
  'like folded': "$0 LIKE $1 ESCAPE '\\'",
  containing: '$0 GLOB $1',
  'holding words': '$0 MATCH $1',
  'rank of words': '$0.rank',
}

class SpellingDialect extends SqliteDialect {
  override createQueryCompiler(): SqliteQueryCompiler {
    return new SpellingCompiler()
  }
}

/**
 * Prints parameters as `+?` and limits as numbers. SQLite plans a statement again for each new value of a bare `?` on
 * which its plan could depend, which includes a key in a join and every limit: measured 70 µs instead of 5 for a task by
 * its key. Where a plan must depend on a value, as for a partial index, that value is a literal.
 */
class SpellingCompiler extends SqliteQueryCompiler {
  #plannedByValue = false

  protected override visitFunction(node: FunctionNode): void {
    const spelling = (spellings as Readonly<Record<string, string>>)[node.func]
    if (spelling === undefined) return super.visitFunction(node)
    // The beginning of a pattern is looked up in an index.
    this.#plannedByValue = true
    spell(
      spelling,
      node.arguments,
      (text) => this.append(text),
      (argument) => this.visitNode(argument),
    )
    this.#plannedByValue = false
  }

  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) this.append(`limit ${limit.value as number}`)
    else super.visitLimit(node)
  }

  protected override getCurrentParameterPlaceholder(): string {
    return this.#plannedByValue ? '?' : '+?'
  }
}

const rememberingStatements = ({ connection, explain }: Source): KyselySqlite => {
  const statements = new Map<string, ReturnType<KyselySqlite['prepare']>>()
  let known: Connection | undefined
  const explained = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw explain(error)
    }
  }
  return {
    close: () => connection().close(),
    prepare: (sql) => {
      const current = connection()
      // Lists of ids make statements of many lengths, so the cache must be limited.
      if (current !== known || statements.size >= 500) statements.clear()
      known = current
      let statement = statements.get(sql)
      if (!statement) {
        const prepared: Statement = explained(() => current.prepare(sql))
        statement = {
          reader: prepared.reader,
          all: (parameters) => explained(() => prepared.all(parameters)),
          run: (parameters) => explained(() => prepared.run(parameters)),
          iterate: (parameters) => explained(() => prepared.iterate(parameters)),
        }
        statements.set(sql, statement)
      }
      return statement
    },
  }
}
