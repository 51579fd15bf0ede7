import { setImmediate as turn } from 'node:timers/promises'
import { makeBranches, makeStems, NONE, type ReadStems } from './found-branches.ts'
import { gather, lastBelow, levelOf, nextIn, previousIn } from './found-walk.ts'

/** A row of the tree: a matching task, or an ancestor of one. */
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
