import type { StoreApi } from 'zustand/vanilla'
import type { Connection } from '../../../operations/perform/core.ts'
import { sizesArrived } from '../../core/reducers.ts'
import { repeat } from '../../core/timers.ts'
import type { ConsoleState } from '../../core/state.ts'

/** Milliseconds between two counts of the same files. */
const CALM = 30_000

/**
 * Keeps the disk space of the open worktree up to date; without one nothing is counted. Returns a function that stops
 * it.
 */
export const startSizeFeed = ({ outside }: Connection, store: StoreApi<ConsoleState>): (() => void) => {
  let open: string | null = null
  const count = async (): Promise<void> => {
    if (open === null) return
    const name = open
    // A count that fails is not shown.
    const sizes = await outside.measureWorktrees([name]).catch(() => [])
    store.setState(sizesArrived(sizes), true)
  }
  const stops = [
    repeat(CALM, count),
    store.subscribe(({ view }) => {
      const now = view.overlay?.kind === 'detail' && view.overlay.of === 'worktrees' ? view.worktree : null
      if (now === open) return
      open = now
      void count()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
