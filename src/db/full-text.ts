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

/**
 * True where the column contains the word, whatever its case. LIKE folds ASCII alone; a GLOB pattern names both cases of
 * each letter, and its own signs in brackets, where they are plain text.
 */
export const containing = (column: string, word: string): RawBuilder<SqlBool> => sql<SqlBool>`${sql.ref(column)} glob ${`*${[...word].map(eitherCase).join('')}*`}`

const eitherCase = (character: string): string => {
  if ('*?['.includes(character)) return `[${character}]`
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()]
  // Of more than one character, as ß in capitals, it is no class.
  return lower !== upper && [...lower].length === 1 && [...upper].length === 1 ? `[${lower}${upper}]` : character
}
