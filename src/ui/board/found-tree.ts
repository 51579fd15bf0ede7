import { setImmediate as turn } from 'node:timers/promises'
import { SPAN } from '../filter/matches.ts'

/** A row of the tree: a task that was found, or one that such a task hangs below. */
export interface FoundRow {
  readonly id: number
  readonly level: number
  readonly matches: boolean
}

export interface FoundWindow {
  readonly rows: readonly FoundRow[]
  readonly moreBefore: boolean
  readonly moreAfter: boolean
}

/** Below which task each of a span of tasks hangs; 0 for a root. */
export type ReadStems = (from: number, span: number) => Promise<readonly { readonly id: number; readonly stem: number }[]>

export interface FoundTree {
  /** Takes in what was found since; the pieces are those of `makeMatches`, of which one that is the same object says the same. */
  follow(where: string, pieces: readonly (readonly number[])[]): Promise<void>
  readonly has: (id: number) => boolean
  /** The first task that was found from this number on, or the last before it; null where none was. */
  readonly nearest: (id: number) => number | null
  window(at: number, before: number, after: number): FoundWindow
  readonly end: (side: 'first' | 'last') => number | null
}

/** Deeper levels are counted as this one, as in the tree of all tasks. */
const LEVELS = 64

/** Steps up a chain, which may be as long as the board, before the keys have their turn. */
const STEPS = 2000

/** Stands above the roots. */
const NONE = 0

/**
 * The tasks that meet a filter, with those above them: a tree in memory, of numbers only. Of each task in it is counted what
 * keeps it there: that it was found itself, and each branch below it. So a piece that was looked through again changes what
 * hangs on it and no more, and a window is gone through without a look at the database (`SPAN` stems take 1 ms, and are
 * read once, since no task ever hangs anywhere else).
 */
export const makeFoundTree = (readStems: ReadStems): FoundTree => {
  const stems = new Map<number, number>()
  let where: string | undefined
  let pieces: readonly (readonly number[])[] = []
  let kept = new Map<number, number>()
  let branches = new Map<number, number[]>()
  let found = new Set<number>()

  const stemOf = (id: number): number => stems.get(id) ?? NONE

  const learn = async (id: number): Promise<void> => {
    const from = Math.floor((id - 1) / SPAN) * SPAN + 1
    for (const one of await readStems(from, SPAN)) stems.set(one.id, one.stem)
    // One that is gone meanwhile hangs nowhere.
    if (!stems.has(id)) stems.set(id, NONE)
  }

  const add = async (id: number): Promise<void> => {
    let steps = 0
    for (let at = id; at !== NONE && !kept.has(at); at = stemOf(at)) {
      if (!stems.has(at)) await learn(at)
      if (++steps % STEPS === 0) await turn()
    }
    found.add(id)
    for (let at = id; at !== NONE; at = stemOf(at)) {
      const before = kept.get(at) ?? 0
      kept.set(at, before + 1)
      if (before > 0) break
      insert(branches, stemOf(at), at)
    }
  }

  const remove = (id: number): void => {
    found.delete(id)
    for (let at = id; at !== NONE; at = stemOf(at)) {
      const left = kept.get(at)! - 1
      kept.set(at, left)
      if (left > 0) break
      kept.delete(at)
      take(branches, stemOf(at), at)
    }
  }

  const beside = (id: number, by: 1 | -1): number | undefined => {
    const row = branches.get(stemOf(id)) ?? []
    return row[placeIn(row, id) + by]
  }
  const lastBelow = (id: number): number => {
    let last = id
    for (let row = branches.get(last); row !== undefined; row = branches.get(last)) last = row.at(-1)!
    return last
  }
  const next = (id: number): number | null => {
    const first = branches.get(id)?.[0]
    if (first !== undefined) return first
    for (let at = id; at !== NONE; at = stemOf(at)) {
      const sibling = beside(at, 1)
      if (sibling !== undefined) return sibling
    }
    return null
  }
  const previous = (id: number): number | null => {
    const sibling = beside(id, -1)
    if (sibling !== undefined) return lastBelow(sibling)
    return stemOf(id) === NONE ? null : stemOf(id)
  }
  const levelOf = (id: number): number => {
    let level = 0
    for (let at = stemOf(id); at !== NONE && level < LEVELS; at = stemOf(at)) level++
    return level
  }

  return {
    follow: async (asked, now) => {
      if (asked !== where) {
        pieces = []
        kept = new Map()
        branches = new Map()
        found = new Set()
      }
      const old = pieces
      pieces = [...now]
      // What was half taken in is begun anew.
      where = undefined
      for (let index = 0; index < Math.max(old.length, pieces.length); index++) {
        if (old[index] === pieces[index]) continue
        const [before, after] = [new Set(old[index]), new Set(pieces[index])]
        for (const id of after) if (!before.has(id)) await add(id)
        for (const id of before) if (!after.has(id)) remove(id)
        await turn()
      }
      where = asked
    },
    has: (id) => kept.has(id),
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
      const roots = branches.get(NONE)
      return roots === undefined ? null : side === 'first' ? roots[0]! : lastBelow(roots.at(-1)!)
    },
    window: (at, before, after) => {
      const above = gather(at, before + 1, previous)
      const below = gather(at, after, next)
      const ids = [...above.slice(0, before).reverse(), at, ...below.slice(0, after - 1)]
      return { rows: ids.map((id) => ({ id, level: levelOf(id), matches: found.has(id) })), moreBefore: above.length > before, moreAfter: below.length >= after }
    },
  }
}

const gather = (start: number, most: number, next: (id: number) => number | null): number[] => {
  const ids: number[] = []
  for (let id = next(start); id !== null && ids.length < most; id = next(id)) ids.push(id)
  return ids
}

/** Where a number stands among others in their order, or would stand. */
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
