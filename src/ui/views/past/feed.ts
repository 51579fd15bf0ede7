import { setImmediate as turn } from 'node:timers/promises'
import type { StoreApi } from 'zustand/vanilla'
import type { Connection } from '../../../operations/perform/core.ts'
import type { EventView } from '../../../operations/views/events.ts'
import { perform } from '../../../operations/perform/perform.ts'
import { listEvents } from '../../../operations/sessions/sessions.ts'
import { nameTasks } from '../../../operations/screens/related-tasks.ts'
import type { ConsoleOptions } from '../../core/controller.ts'
import { throttled, repeat } from '../../core/timers.ts'
import type { ConsoleState, Transition } from '../../core/state.ts'
import { eventsArrived, momentOf, noPast, pastIn, placeIn, play, tasksOf } from './past.ts'

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
  careful: (work: () => Promise<void>) => () => Promise<boolean>,
): (() => void) => {
  const change = (transition: Transition): void => store.setState(transition, true)
  const reading: Reading = { core, actor, state: store.getState, change }
  const names = throttled(
    100,
    careful(() => readNames(reading)),
  )
  const read = throttled(
    500,
    careful(() => readEvents(reading, names.ask)),
  )
  const beat = makeBeat(reading)
  const stops = [
    read.stop,
    names.stop,
    watch(() => {
      if (isOpen(store.getState())) read.ask()
    }),
    beat.stop,
    store.subscribe((state, before) => {
      if (state.view.overlay === before.view.overlay) return
      beat.ask()
      const [is, was] = [pastIn(state), pastIn(before)]
      if (is && !was) read.ask()
      else if (is) names.ask()
      // The history is dropped when its view closes, to free its memory.
      else if (was) change((now) => ({ ...now, past: noPast }))
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

interface Reading extends Pick<Connection, 'core' | 'actor'> {
  readonly state: () => ConsoleState
  readonly change: (transition: Transition) => void
}

const isOpen = (state: ConsoleState): boolean => pastIn(state) !== undefined

/** The newest events first, then those that have come since. */
const readEvents = async ({ core, actor, state, change }: Reading, then: () => void): Promise<void> => {
  if (!isOpen(state())) return
  let { events, whole } = state().past
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
  } while (more.length === PAGE && isOpen(state()))
  if (!isOpen(state())) return
  const next = added.length === 0 ? events : [...events, ...added]
  change(eventsArrived(next, whole))
  then()
}

/** Titles of the tasks that are seen. */
const readNames = async ({ core, actor, state: read, change }: Reading): Promise<void> => {
  const state = read()
  const overlay = pastIn(state)
  if (!overlay) return
  const ids = tasksOf(momentOf(state.past.events, placeIn(state, overlay)))
  const missing = ids
    .slice(overlay.row, overlay.row + state.view.size.rows + AHEAD)
    .filter((id) => state.past.names[id] === undefined)
  if (missing.length === 0) return
  const found = await perform(core, nameTasks, { ids: missing }, actor)
  if (isOpen(read()))
    change((now) => ({
      ...now,
      past: { ...now.past, names: { ...now.past.names, ...Object.fromEntries(found.map((one) => [one.id, one])) } },
    }))
}

/** Moves on while it plays, and takes no turn while it does not. */
const makeBeat = ({ state, change }: Reading): { readonly ask: () => void; readonly stop: () => void } => {
  let stopMoving: (() => void) | undefined
  const stop = (): void => {
    stopMoving?.()
    stopMoving = undefined
  }
  const move = (): void => (pastIn(state())?.playing ? change(play) : undefined)
  return {
    ask: () => {
      const playing = pastIn(state())?.playing === true
      if (playing && !stopMoving) stopMoving = repeat(BEAT, move, BEAT)
      if (!playing) stop()
    },
    stop,
  }
}
