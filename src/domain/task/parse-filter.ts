import { termOf } from './filter-terms.ts'
import type { Term, Filter } from './filter.ts'
import { tokensOf } from './filter-tokens.ts'

/**
 * The most terms that a database can combine between two keys (measured: 50 terms of the most expensive kind take 10
 * ms, 100 take 70), and the most values of one.
 */
const [MOST_TERMS, MOST_VALUES] = [50, 500]

export const parseFilter = (text: string): Filter => {
  const terms: Term[] = []
  for (const token of tokensOf(text)) {
    const read =
      terms.length === MOST_TERMS
        ? `a filter has at most ${MOST_TERMS} terms.`
        : token.values.length > MOST_VALUES
          ? `a term has at most ${MOST_VALUES} values.`
          : termOf(token)
    if (typeof read === 'string') return { terms: [], problem: `'${token.raw}': ${read}` }
    terms.push(read)
  }
  return { terms, problem: null }
}
