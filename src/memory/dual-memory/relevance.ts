/**
 * How well each record answers, from 0 to 1, against the best of them. `ranks` are FTS5's, best first: the less, the
 * better, and below 0. A record that was asked for by its id (null) is exactly what was wanted.
 */
export const relevance = (ranks: readonly (number | null)[]): readonly number[] => {
  const best = ranks[0] ?? 0
  return ranks.map((rank) => (rank === null || best >= 0 ? 1 : Math.min(1, Math.max(0, rank / best))))
}
