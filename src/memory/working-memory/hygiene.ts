import { type Change, type KeyFact, type Leaving, limits, type WorkingMemory } from './memory.ts'

/**
 * Seed 002's hygiene: when a section exceeds its limit, the least important entries leave it. The oldest go first;
 * resolved blockers before open ones, facts that are not critical before critical ones.
 */
export const keepWithinLimits = (memory: WorkingMemory): Change => {
  const leaving: Leaving[] = []
  const kept: Partial<WorkingMemory> = {}
  for (const section of ['observations', 'decisions', 'blockers', 'completedTasks'] as const) {
    const entries: readonly Readonly<Record<string, unknown>>[] = memory[section]
    const [leave, stay] = parted(entries, limits[section], ({ resolved }) =>
      section === 'blockers' && resolved === false ? 1 : 0,
    )
    if (leave.length === 0) continue
    leaving.push(...leave.map((entry) => ({ section, entry })))
    Object.assign(kept, { [section]: stay })
  }
  const facts = Object.entries(memory.keyFacts)
  const [leave, stay] = parted(
    facts.toSorted(([, one], [, other]) => writtenAt(one) - writtenAt(other)),
    limits.keyFacts,
    ([, { critical }]) => (critical === true ? 1 : 0),
  )
  if (leave.length > 0) {
    leaving.push(...leave.map(([key, entry]) => ({ section: 'keyFacts' as const, key, entry })))
    const keys = new Set(stay.map(([key]) => key))
    kept.keyFacts = Object.fromEntries(facts.filter(([key]) => keys.has(key)))
  }
  return leaving.length === 0 ? { memory, leaving } : { memory: { ...memory, ...kept }, leaving }
}

/**
 * The entries above the limit, in the order in which they leave (the lowest rank first, then the first), and the others
 * in their order.
 */
const parted = <T>(
  entries: readonly T[],
  limit: number,
  rank: (entry: T) => number,
): readonly [leave: readonly T[], stay: readonly T[]] => {
  if (entries.length <= limit) return [[], entries]
  const places = entries.map((_, at) => at).sort((one, other) => rank(entries[one]!) - rank(entries[other]!))
  const leaves = places.slice(0, entries.length - limit)
  const gone = new Set(leaves)
  return [leaves.map((at) => entries[at]!), entries.filter((_, at) => !gone.has(at))]
}

/**
 * Keys made of digits lose their order in an object, so a fact's age comes from its time; one without a time counts as
 * old.
 */
const writtenAt = ({ timestamp }: KeyFact): number => Date.parse(timestamp) || 0
