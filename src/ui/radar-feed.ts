import type { StoreApi } from 'zustand/vanilla'
import type { Connection, Radar } from '../operations/kernel/outside.ts'
import { atMost, repeat } from './pace.ts'
import { keep } from './same.ts'
import type { ConsoleState, Transition } from './state.ts'

/** Milliseconds between two looks; what has not changed costs no process. */
const OFTEN = 3000

/** Keeps what the radar sees; whoever opens its matrix has every worktree looked at. Gives what ends it. */
export const startRadarFeed = (outside: Connection['outside'], store: StoreApi<ConsoleState>, careful: (work: () => Promise<void>) => () => Promise<void>): (() => void) => {
  let everything = false
  const feed = atMost(
    500,
    careful(async () => {
      const asked = everything
      everything = false
      store.setState(radarArrived(await outside.radar({ everything: asked })), true)
    }),
  )
  const stops = [
    feed.stop,
    // Behind the first frame: what it takes to look is a good part of the program, and is loaded for it.
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
