import type { Borders } from '../preferences.ts'
import type { Pane } from '../panes.ts'
import type { Needs } from './needs.ts'

/** The panes of a column from the top, with the share of it that each may take from those that need more. */
export interface Column {
  readonly panes: readonly Pane[]
  readonly shares: Readonly<Record<Pane, number>>
  /** The panes in the order in which they get the lines that others leave. */
  readonly order: readonly Pane[]
}

/**
 * The lines of each pane of a column. A pane gets what it needs, up to its share, and what others do not need; the
 * rest goes to one that has no end, or to the first. A border that a person has moved stays where it is.
 */
export const heightsIn = (
  { panes, shares, order }: Column,
  inside: number,
  needs: Needs,
  moved: Borders['heights'],
): readonly number[] => {
  const sum = panes.reduce((all, pane) => all + shares[pane], 0)
  const share = (pane: Pane): number => Math.max(2, Math.floor((inside * shares[pane]) / sum))
  const heights = new Map(panes.map((pane) => [pane, Math.min(needs[pane].lines, share(pane))]))
  shrink(heights, inside)
  for (const pane of order) {
    const left = inside - total(heights)
    if (heights.has(pane) && left > 0) heights.set(pane, Math.min(needs[pane].lines, heights.get(pane)! + left))
  }
  const rest = panes.find((pane) => needs[pane].lines === Infinity) ?? panes[0]!
  heights.set(rest, heights.get(rest)! + Math.max(0, inside - total(heights)))
  return withMoved(panes, heights, inside, moved)
}

/** Takes lines from the largest pane until all fit; each keeps one. */
const shrink = (heights: Map<Pane, number>, inside: number): void => {
  for (let over = total(heights) - inside; over > 0; over--) {
    const [pane, most] = [...heights].reduce((a, b) => (b[1] > a[1] ? b : a))
    if (most <= 1) return
    heights.set(pane, most - 1)
  }
}

/** The first pane has what the moved ones leave. */
const withMoved = (
  panes: readonly Pane[],
  heights: ReadonlyMap<Pane, number>,
  inside: number,
  moved: Borders['heights'],
): readonly number[] => {
  if (panes.slice(1).every((pane) => moved[pane] === undefined)) return panes.map((pane) => heights.get(pane)!)
  const all = panes.map((pane) => heights.get(pane)!)
  let left = inside - panes.length
  for (const [at, pane] of panes.entries()) {
    if (at === 0) continue
    all[at] = 1 + Math.max(0, Math.min(left, (moved[pane] ?? all[at]!) - 1))
    left -= all[at] - 1
  }
  all[0] = 1 + left
  return all
}

const total = (heights: ReadonlyMap<Pane, number>): number => [...heights.values()].reduce((sum, one) => sum + one, 0)
