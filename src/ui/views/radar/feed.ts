import type { StoreApi } from 'zustand/vanilla'
import type { Radar } from '../../../contracts/observations.ts'
import type { Connection } from '../../../operations/perform/core.ts'
import { throttled, repeat } from '../../core/timers.ts'
import { keep } from '../../core/structural-sharing.ts'
import type { ConsoleState, Transition } from '../../core/state.ts'

/** Milliseconds between two scans; unchanged worktrees cost no process. */
const OFTEN = 3000

/** Keeps the radar's result; opening its matrix scans every worktree. Returns a function that ends it. */
export const startRadarFeed = (
  outside: Connection['outside'],
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<void>,
): (() => void) => {
  let everything = false
  const feed = throttled(
    500,
    careful(async () => {
      const asked = everything
      everything = false
      store.setState(radarArrived(await outside.radar({ everything: asked })), true)
    }),
  )
  const stops = [
    feed.stop,
    // After the first frame, because the radar is a large part of the program and is loaded for it.
    repeat(OFTEN, () => feed.ask(), 1000),
    store.subscribe(({ view: { overlay } }, { view: before }) => {
      if (overlay?.kind !== 'radar' || before.overlay?.kind === 'radar') return
      everything = true
      feed.ask()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

export const radarArrived =
  (next: Radar): Transition =>
  (state) => {
    const radar = keep(state.radar, next)
    return radar === state.radar ? state : { ...state, radar }
  }
