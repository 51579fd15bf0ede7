import { closest, distance } from 'fastest-levenshtein'

/** The candidate that is near enough to `word` to be meant, if any. */
export const nearest = (word: string, candidates: readonly string[]): string | undefined => {
  if (candidates.length === 0) return undefined
  const best = closest(word, candidates)
  return distance(word, best) <= Math.max(2, Math.floor(word.length / 2)) ? best : undefined
}
