/**
 * The relevance of each record from 0 to 1, relative to the best one. `ranks` are FTS5's, best first: lower is better,
 * and below 0. A record that was requested by its id (null) has relevance 1.
 */
export const relevance = (ranks: readonly (number | null)[]): readonly number[] => {
  const best = ranks[0] ?? 0
  return ranks.map((rank) => (rank === null || best >= 0 ? 1 : Math.min(1, Math.max(0, rank / best))))
}
