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
