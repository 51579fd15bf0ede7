import { setImmediate as turn } from 'node:timers/promises'
import type { StoreApi } from 'zustand/vanilla'
import type { EventView } from '../../operations/kernel/event-view.ts'
import { perform } from '../../operations/kernel/perform.ts'
import { listEvents } from '../../operations/list-events.ts'
import { nameTasks } from '../../operations/name-tasks.ts'
import type { ConsoleOptions } from '../console-options.ts'
import { atMost, repeat } from '../pace.ts'
import type { ConsoleState, Transition } from '../state.ts'
import { momentOf, pastIn, placeIn } from './moment.ts'
import { eventsArrived, play } from './movement.ts'
import { tasksOf } from './rows.ts'
import { noPast } from './state.ts'

/** Events that are read at a time, and the most that are read at first: of a longer log the newest. */
const PAGE = 1000
const MOST = 10_000

/** Milliseconds between two moments while it plays, and tasks whose titles are read beyond those that are seen. */
const BEAT = 100
const AHEAD = 60

/** Reads the event log while the timeline is open, and the titles of the tasks that are seen; moves on while it plays. Gives what stops it. */
export const startPastFeed = (
  { connection: { core, actor }, watch }: Pick<ConsoleOptions, 'connection' | 'watch'>,
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<void>,
): (() => void) => {
  const change = (transition: Transition): void => store.setState(transition, true)
  const isOpen = (): boolean => pastIn(store.getState()) !== undefined
  const read = atMost(
    500,
    careful(async () => {
      if (!isOpen()) return
      let { events } = store.getState().past
      let { whole } = store.getState().past
      if (events.length === 0) {
        events = await perform(core, listEvents, { limit: MOST }, actor)
        whole = (events[0]?.id ?? 1) === 1
      }
      let more: readonly EventView[]
      const added: EventView[] = []
      do {
        const afterId = added.at(-1)?.id ?? events.at(-1)?.id ?? 0
        more = await perform(core, listEvents, { afterId, limit: PAGE }, actor)
        added.push(...more)
        // Between two pages the keys have their turn.
        await turn()
      } while (more.length === PAGE && isOpen())
      if (!isOpen()) return
      const next = added.length === 0 ? events : [...events, ...added]
      change(eventsArrived(next, whole))
      names.ask()
    }),
  )
  const names = atMost(
    100,
    careful(async () => {
      const state = store.getState()
      const overlay = pastIn(state)
      if (!overlay) return
      const ids = tasksOf(momentOf(state.past.events, placeIn(state, overlay)))
      const missing = ids.slice(overlay.row, overlay.row + state.view.size.rows + AHEAD).filter((id) => state.past.names[id] === undefined)
      if (missing.length === 0) return
      const found = await perform(core, nameTasks, { ids: missing }, actor)
      if (isOpen()) change((now) => ({ ...now, past: { ...now.past, names: { ...now.past.names, ...Object.fromEntries(found.map((one) => [one.id, one])) } } }))
    }),
  )
  let stopBeat: (() => void) | undefined
  /** Moves on while it plays, and takes no turn while it does not. */
  const beat = (): void => {
    const playing = pastIn(store.getState())?.playing === true
    if (playing && !stopBeat) {
      const move = (): void => (pastIn(store.getState())?.playing ? change(play) : undefined)
      stopBeat = repeat(BEAT, move, BEAT)
    }
    if (!playing && stopBeat) {
      stopBeat()
      stopBeat = undefined
    }
  }
  const stops = [
    read.stop,
    names.stop,
    watch(() => {
      if (isOpen()) read.ask()
    }),
    () => stopBeat?.(),
    store.subscribe((state, before) => {
      if (state.view.overlay === before.view.overlay) return
      beat()
      const [is, was] = [pastIn(state), pastIn(before)]
      if (is && !was) read.ask()
      else if (is) names.ask()
      // What is no longer looked at takes no room.
      else if (was) change((now) => ({ ...now, past: noPast }))
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
