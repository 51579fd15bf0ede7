import { type RawBuilder, sql, type SqlBool } from 'kysely'

// Full-text search, which is specific to SQLite (FTS5).

/**
 * True for rows of a full-text table that contain every word of the query, ignoring case. Operators and quotes are
 * plain text.
 */
export const holdsWords = (table: 'conversation_words' | 'execution_words', query: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.table(table)} match ${phrasesOf(query)}`

/** Quotes each word as a phrase, which contains no operators; adjacent phrases must all occur. */
const phrasesOf = (query: string): string =>
  query
    // FTS5 treats NUL as the end of a query.
    .replaceAll('\0', ' ')
    .split(/\s+/)
    .map((word) => `"${word.replaceAll('"', '""')}"`)
    .join(' ')

/**
 * True if the column contains the word, ignoring case. LIKE folds ASCII only; a GLOB pattern names both cases of each
 * letter and puts its own wildcards in brackets, which makes them plain text.
 */
export const containing = (column: string, word: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} glob ${`*${[...word].map(eitherCase).join('')}*`}`

const eitherCase = (character: string): string => {
  if ('*?['.includes(character)) return `[${character}]`
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()]
  // A case mapping to several characters, such as ß in capitals, cannot be a class.
  return lower !== upper && [...lower].length === 1 && [...upper].length === 1 ? `[${lower}${upper}]` : character
}
