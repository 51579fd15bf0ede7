import type { StoreApi } from 'zustand/vanilla'
import type { Connection } from '../operations/kernel/outside.ts'
import { sizesArrived } from './arrivals.ts'
import { repeat } from './pace.ts'
import type { ConsoleState } from './state.ts'

/** Milliseconds between two counts of the same files. */
const CALM = 30_000

/** Keeps the disk space of the worktree that is open for a look; nothing is counted while none is. Gives what stops it. */
export const startSizeFeed = ({ outside }: Connection, store: StoreApi<ConsoleState>): (() => void) => {
  let open: string | null = null
  const count = async (): Promise<void> => {
    if (open === null) return
    const name = open
    // What cannot be counted now is simply not shown.
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
