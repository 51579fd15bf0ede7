import { type AliasableExpression, type Expression, sql, type SqlBool } from 'kysely'
import { word } from './expressions.ts'

type WordsTable = 'conversation_words' | 'execution_words'

/** True for rows of a full-text table that contain every word of the query; operators and quotes are plain text. */
export const holdingWords = (table: WordsTable, query: string): AliasableExpression<SqlBool> =>
  word('holding words', [sql.table(table), ...phrases(query)])

/** How well a row of a full-text table that contains the words of the query does so: the lower, the better. */
export const rankOfWords = (table: WordsTable, query: string): AliasableExpression<number> =>
  word('rank of words', [sql.table(table), ...phrases(query)])

/** The phrases as one text in quotes, as single words, and as a list. */
const phrases = (query: string): readonly Expression<unknown>[] => {
  const found = phrasesOf(query)
  const words = found.flatMap((phrase) => phrase.split(' '))
  return [sql`${found.map((phrase) => `"${phrase}"`).join(' ') || '""'}`, sql`${words}`, sql`${found}`]
}

// The words of a text as full-text search tells them apart, the same for every engine: runs of letters and digits of any
// script, in lower case, those of Latin letters without diacritics (what FTS5 calls unicode61).

const WORD = /[\p{L}\p{N}\p{Co}\p{M}]+/gu
const DIACRITICS = /(\p{Script=Latin})[\u0300-\u036f]+/gu

/** The words of a text, in its order. */
const tokensOf = (text: string): readonly string[] =>
  (text.normalize('NFD').match(WORD) ?? []).map(folded).filter((token) => token !== '')

/** The text as its words with a space between them, which is what the full-text tables hold. */
export const streamOf = (text: string): string => tokensOf(text).join(' ')

/** The parts of a query as phrases, whose words must follow each other. */
export const phrasesOf = (query: string): readonly string[] =>
  query
    .split(/\s+/)
    .map(streamOf)
    .filter((phrase) => phrase !== '')

const folded = (token: string): string => token.replace(DIACRITICS, '$1').toLowerCase().normalize('NFC')
