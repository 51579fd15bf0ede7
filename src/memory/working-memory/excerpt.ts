import { type Blocker, type KeyFact, limits, type Section, type WorkingMemory } from './memory.ts'

/** The most of a memory that an agent gets at once (characters of JSON, about 10,000 tokens). */
export const MOST_TOLD = 40_000

/** An entry larger than this share is left out, so that others fit. */
const TOO_LARGE = 1 / 4

export interface Excerpt {
  readonly memory: Readonly<Record<string, unknown>>
  /** The omitted parts: `60 of 100 observations`, or a key with its length in characters. */
  readonly leftOut: readonly string[]
}

/**
 * An excerpt within `most` characters, in whole entries: open or critical ones first, then the newest. The file does
 * not change.
 */
export const excerptOf = (memory: WorkingMemory, most = MOST_TOLD): Excerpt => {
  if (sizeOf(memory) <= most) return { memory, leftOut: [] }
  let free = most - sizeOf({})
  const fits = ({ size }: Piece): boolean => size <= most * TOO_LARGE
  const kept = new Set<string>()
  const [heads, entries] = [headsOf(memory), entriesOf(memory).sort(byWorth)]
  for (const piece of [...heads.filter(fits), ...entries.filter(fits)]) {
    if (piece.size > free) break
    free -= piece.size
    kept.add(piece.id)
  }
  return {
    memory: Object.fromEntries(
      Object.entries(memory).flatMap(([key, value]) =>
        isSection(key) ? [[key, keptOf(key, value, kept)]] : kept.has(key) ? [[key, value]] : [],
      ),
    ),
    leftOut: [
      ...heads.filter(({ id }) => !kept.has(id)).map(({ id, size }) => `${id} (${size} characters)`),
      ...sections.flatMap((section) => {
        const all = entries.filter((entry) => entry.section === section)
        const left = all.filter(({ id }) => !kept.has(id)).length
        return left === 0 ? [] : [`${left} of ${all.length} ${section}`]
      }),
    ],
  }
}

const sections = Object.keys(limits) as readonly Section[]

const isSection = (key: string): key is Section => Object.hasOwn(limits, key)

/** A piece that is included whole or not at all. */
interface Piece {
  /** The key of a head; for an entry its section and its index or key in it. */
  readonly id: string
  readonly size: number
}

interface Entry extends Piece {
  readonly section: Section
  /** True for an open blocker or a critical fact. */
  readonly matters: boolean
  readonly at: string
  readonly place: number
}

/** The parts without entries: identity, context, plan, and unknown keys. */
const headsOf = (memory: WorkingMemory): readonly Piece[] =>
  Object.entries(memory)
    .filter(([key]) => !isSection(key))
    .map(([key, value]) => ({ id: key, size: sizeOf({ [key]: value }) }))

const entriesOf = (memory: WorkingMemory): Entry[] =>
  sections.flatMap((section) =>
    Object.entries(memory[section]).map(([key, entry], place) => ({
      id: idOf(section, key),
      section,
      size: sizeOf(entry) + (section === 'keyFacts' ? sizeOf(key) + 2 : 1),
      matters: matters(section, entry),
      at: (entry as { timestamp: string }).timestamp,
      place,
    })),
  )

const matters = (section: Section, entry: unknown): boolean =>
  (section === 'blockers' && !(entry as Blocker).resolved) ||
  (section === 'keyFacts' && (entry as KeyFact).critical === true)

/** Of the same instant the later one is newer. */
const byWorth = (one: Entry, other: Entry): number =>
  Number(other.matters) - Number(one.matters) ||
  (one.at < other.at ? 1 : one.at > other.at ? -1 : other.place - one.place)

const keptOf = (section: Section, value: unknown, kept: ReadonlySet<string>): unknown =>
  Array.isArray(value)
    ? value.filter((_, place) => kept.has(idOf(section, String(place))))
    : Object.fromEntries(Object.entries(value as object).filter(([key]) => kept.has(idOf(section, key))))

const idOf = (section: Section, key: string): string => `${section} ${key}`

const sizeOf = (value: unknown): number => JSON.stringify(value).length
