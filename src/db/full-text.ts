import { type RawBuilder, sql, type SqlBool } from 'kysely'

// Full-text search, which only SQLite does so (FTS5).

/** True of the rows of a full-text table that hold every word of the query, whatever its case. Operators and quotes are plain text. */
export const holdsWords = (table: 'conversation_words' | 'execution_words', query: string): RawBuilder<SqlBool> => sql<SqlBool>`${sql.table(table)} match ${phrasesOf(query)}`

/** Each word as a quoted phrase, in which nothing is an operator; phrases beside each other must all occur. */
const phrasesOf = (query: string): string =>
  query
    // FTS5 takes a query for ended at a NUL.
    .replaceAll('\0', ' ')
    .split(/\s+/)
    .map((word) => `"${word.replaceAll('"', '""')}"`)
    .join(' ')
