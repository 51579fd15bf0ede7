import { closest, distance } from 'fastest-levenshtein'

/** The candidate that is close enough to `word` to be a suggestion, if any. */
export const nearest = (word: string, candidates: readonly string[]): string | undefined => {
  if (candidates.length === 0) return undefined
  const best = closest(word, candidates)
  return distance(word, best) <= Math.max(2, Math.floor(word.length / 2)) ? best : undefined
}
