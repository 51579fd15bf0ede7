import { setImmediate as turn } from 'node:timers/promises'
import { SPAN } from './matches.ts'

/** A row of the tree: a matching task, or an ancestor of one. */
interface FoundRow {
  readonly id: number
  readonly level: number
  readonly matches: boolean
}

interface FoundWindow {
  readonly rows: readonly FoundRow[]
  readonly moreBefore: boolean
  readonly moreAfter: boolean
}

export interface FoundTree {
  /** Adds new matches; the pieces are those of `makeMatches`, of which an identical object is unchanged. */
  follow(where: string, pieces: readonly (readonly number[])[]): Promise<void>
  readonly has: (id: number) => boolean
  /** The first match from this number on, or the last before it; null if there is none. */
  readonly nearest: (id: number) => number | null
  window(at: number, before: number, after: number): FoundWindow
  readonly end: (side: 'first' | 'last') => number | null
}

/**
 * The tasks that match a filter, with their ancestors: a tree in memory that contains only numbers. Each task has a
 * count of the reasons that keep it there: its own match, and each branch below it. A piece that was searched again
 * therefore changes only its own part, and a window is read without the database (`SPAN` stems take 1 ms and are read
 * once, because a task's parent never changes).
 */
export const makeFoundTree = (readStems: ReadStems): FoundTree => {
  const stems = makeStems(readStems)
  let where: string | undefined
  let pieces: readonly (readonly number[])[] = []
  let tree = makeBranches(stems)

  return {
    follow: async (asked, now) => {
      if (asked !== where) {
        pieces = []
        tree = makeBranches(stems)
      }
      const old = pieces
      pieces = [...now]
      // A partly added piece is started again.
      where = undefined
      for (let index = 0; index < Math.max(old.length, pieces.length); index++) {
        if (old[index] === pieces[index]) continue
        const [before, after] = [new Set(old[index]), new Set(pieces[index])]
        for (const id of after) if (!before.has(id)) await tree.add(id)
        for (const id of before) if (!after.has(id)) tree.remove(id)
        await turn()
      }
      where = asked
    },
    has: (id) => tree.has(id),
    nearest: (id) => {
      let last: number | null = null
      for (const piece of pieces) {
        const at = piece.find((one) => one >= id)
        if (at !== undefined) return at
        last = piece.at(-1) ?? last
      }
      return last
    },
    end: (side) => {
      const roots = tree.below(NONE)
      return roots === undefined ? null : side === 'first' ? roots[0]! : lastBelow(tree, roots.at(-1)!)
    },
    window: (at, before, after) => {
      const above = gather(at, before + 1, (id) => previousIn(tree, stems, id))
      const below = gather(at, after, (id) => nextIn(tree, stems, id))
      const ids = [...above.slice(0, before).reverse(), at, ...below.slice(0, after - 1)]
      return {
        rows: ids.map((id) => ({ id, level: levelOf(stems, id), matches: tree.isFound(id) })),
        moreBefore: above.length > before,
        moreAfter: below.length >= after,
      }
    },
  }
}

/** The parent of each of a range of tasks; 0 for a root. */
type ReadStems = (from: number, span: number) => Promise<readonly { readonly id: number; readonly stem: number }[]>

/** Steps up a chain, which may be as long as the board, before keys are processed. */
const STEPS = 2000

/** The parent of the roots. */
const NONE = 0

/** The parent of each task in the tree; read once, because it never changes. */
interface Stems {
  readonly of: (id: number) => number
  readonly has: (id: number) => boolean
  readonly learn: (id: number) => Promise<void>
}

const makeStems = (readStems: ReadStems): Stems => {
  const known = new Map<number, number>()
  return {
    of: (id) => known.get(id) ?? NONE,
    has: (id) => known.has(id),
    learn: async (id) => {
      const from = Math.floor((id - 1) / SPAN) * SPAN + 1
      for (const one of await readStems(from, SPAN)) known.set(one.id, one.stem)
      // One that is gone meanwhile hangs nowhere.
      if (!known.has(id)) known.set(id, NONE)
    },
  }
}

/** The tasks that were found and those above them, as what hangs on each. */
interface Branches {
  readonly add: (id: number) => Promise<void>
  readonly remove: (id: number) => void
  readonly has: (id: number) => boolean
  readonly isFound: (id: number) => boolean
  readonly below: (id: number) => readonly number[] | undefined
}

const makeBranches = (stems: Stems): Branches => {
  const kept = new Map<number, number>()
  const branches = new Map<number, number[]>()
  const found = new Set<number>()
  return {
    add: async (id) => {
      let steps = 0
      for (let at = id; at !== NONE && !kept.has(at); at = stems.of(at)) {
        if (!stems.has(at)) await stems.learn(at)
        if (++steps % STEPS === 0) await turn()
      }
      found.add(id)
      for (let at = id; at !== NONE; at = stems.of(at)) {
        const before = kept.get(at) ?? 0
        kept.set(at, before + 1)
        if (before > 0) break
        insert(branches, stems.of(at), at)
      }
    },
    remove: (id) => {
      found.delete(id)
      for (let at = id; at !== NONE; at = stems.of(at)) {
        const left = kept.get(at)! - 1
        kept.set(at, left)
        if (left > 0) break
        kept.delete(at)
        take(branches, stems.of(at), at)
      }
    },
    has: (id) => kept.has(id),
    isFound: (id) => found.has(id),
    below: (id) => branches.get(id),
  }
}

/** The index of a number among sorted ones, or its insertion point. */
const placeIn = (row: readonly number[], id: number): number => {
  let [low, high] = [0, row.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (row[middle]! < id) low = middle + 1
    else high = middle
  }
  return low
}

const insert = (branches: Map<number, number[]>, stem: number, id: number): void => {
  const row = branches.get(stem)
  if (row) row.splice(placeIn(row, id), 0, id)
  else branches.set(stem, [id])
}

const take = (branches: Map<number, number[]>, stem: number, id: number): void => {
  const row = branches.get(stem)!
  row.splice(placeIn(row, id), 1)
  if (row.length === 0) branches.delete(stem)
}

// Steps from row to row through the tree of the found tasks.

/** Deeper levels count as this one, as in the tree of all tasks. */
const LEVELS = 64

const siblingOf = (tree: Branches, stems: Stems, id: number, by: 1 | -1): number | undefined => {
  const row = tree.below(stems.of(id)) ?? []
  return row[placeIn(row, id) + by]
}

const lastBelow = (tree: Branches, id: number): number => {
  let last = id
  for (let row = tree.below(last); row !== undefined; row = tree.below(last)) last = row.at(-1)!
  return last
}

const nextIn = (tree: Branches, stems: Stems, id: number): number | null => {
  const first = tree.below(id)?.[0]
  if (first !== undefined) return first
  for (let at = id; at !== NONE; at = stems.of(at)) {
    const sibling = siblingOf(tree, stems, at, 1)
    if (sibling !== undefined) return sibling
  }
  return null
}

const previousIn = (tree: Branches, stems: Stems, id: number): number | null => {
  const sibling = siblingOf(tree, stems, id, -1)
  if (sibling !== undefined) return lastBelow(tree, sibling)
  return stems.of(id) === NONE ? null : stems.of(id)
}

const levelOf = (stems: Stems, id: number): number => {
  let level = 0
  for (let at = stems.of(id); at !== NONE && level < LEVELS; at = stems.of(at)) level++
  return level
}

const gather = (start: number, most: number, next: (id: number) => number | null): number[] => {
  const ids: number[] = []
  for (let id = next(start); id !== null && ids.length < most; id = next(id)) ids.push(id)
  return ids
}
