import { setImmediate as turn } from 'node:timers/promises'
import { SPAN } from './match-pieces.ts'

/** The parent of each of a range of tasks; 0 for a root. */
export type ReadStems = (
  from: number,
  span: number,
) => Promise<readonly { readonly id: number; readonly stem: number }[]>

/** Steps up a chain, which may be as long as the board, before keys are processed. */
const STEPS = 2000

/** The parent of the roots. */
export const NONE = 0

/** The parent of each task in the tree; read once, because it never changes. */
export interface Stems {
  readonly of: (id: number) => number
  readonly has: (id: number) => boolean
  readonly learn: (id: number) => Promise<void>
}

export const makeStems = (readStems: ReadStems): Stems => {
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
export interface Branches {
  readonly add: (id: number) => Promise<void>
  readonly remove: (id: number) => void
  readonly has: (id: number) => boolean
  readonly isFound: (id: number) => boolean
  readonly below: (id: number) => readonly number[] | undefined
}

export const makeBranches = (stems: Stems): Branches => {
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
export const placeIn = (row: readonly number[], id: number): number => {
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
