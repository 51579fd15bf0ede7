import { type Branches, NONE, placeIn, type Stems } from './found-branches.ts'

// Steps from row to row through the tree of the found tasks.

/** Deeper levels count as this one, as in the tree of all tasks. */
const LEVELS = 64

const siblingOf = (tree: Branches, stems: Stems, id: number, by: 1 | -1): number | undefined => {
  const row = tree.below(stems.of(id)) ?? []
  return row[placeIn(row, id) + by]
}

export const lastBelow = (tree: Branches, id: number): number => {
  let last = id
  for (let row = tree.below(last); row !== undefined; row = tree.below(last)) last = row.at(-1)!
  return last
}

export const nextIn = (tree: Branches, stems: Stems, id: number): number | null => {
  const first = tree.below(id)?.[0]
  if (first !== undefined) return first
  for (let at = id; at !== NONE; at = stems.of(at)) {
    const sibling = siblingOf(tree, stems, at, 1)
    if (sibling !== undefined) return sibling
  }
  return null
}

export const previousIn = (tree: Branches, stems: Stems, id: number): number | null => {
  const sibling = siblingOf(tree, stems, id, -1)
  if (sibling !== undefined) return lastBelow(tree, sibling)
  return stems.of(id) === NONE ? null : stems.of(id)
}

export const levelOf = (stems: Stems, id: number): number => {
  let level = 0
  for (let at = stems.of(id); at !== NONE && level < LEVELS; at = stems.of(at)) level++
  return level
}

export const gather = (start: number, most: number, next: (id: number) => number | null): number[] => {
  const ids: number[] = []
  for (let id = next(start); id !== null && ids.length < most; id = next(id)) ids.push(id)
  return ids
}
