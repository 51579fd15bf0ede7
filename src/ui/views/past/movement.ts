import type { EventView } from '../../../operations/views/events.ts'
import { type ConsoleState, changingView, type Overlay, type Transition } from '../../core/state.ts'
import { momentOf, placeIn } from './moment.ts'
import { tasksOf, worktreesOf } from './rows.ts'
import { type PastOverlay, type PastPane, pastPanes } from './state.ts'

// Moves in the past.

const inPast =
  (change: (overlay: PastOverlay, state: ConsoleState) => Partial<PastOverlay>): Transition =>
  (state) => {
    const { overlay } = state.view
    return overlay?.kind === 'past'
      ? changingView(() => ({ overlay: { ...overlay, ...change(overlay, state) } }))(state)
      : state
  }

/** Moves by so many events; a step stops the playback. */
export const stepInPast = (by: number): Transition =>
  inPast((overlay, state) =>
    state.past.reading
      ? { wish: Math.min(0, (overlay.wish ?? 0) + by) }
      : { at: Math.max(0, Math.min(state.past.events.length, placeIn(state, overlay) + by)), playing: false },
  )

/**
 * Adds the events read so far. The moment stays the same; at first it is the present, less the steps taken meanwhile.
 */
export const eventsArrived =
  (events: readonly EventView[], whole: boolean): Transition =>
  (state) => {
    if (events === state.past.events && !state.past.reading) return state
    const read = { ...state, past: { ...state.past, events, whole, reading: false } }
    return state.past.reading ? settled(events.length)(read) : read
  }

const settled = (now: number): Transition =>
  changingView(({ overlay }) => {
    const settle = (one: Overlay): Overlay => {
      if (one.kind !== 'past') return one.behind ? { ...one, behind: settle(one.behind) } : one
      return { ...one, at: Math.max(0, now + (one.wish ?? 0)), wish: 0 }
    }
    return overlay ? { overlay: settle(overlay) } : {}
  })

/** A twentieth of the whole. */
export const leapInPast =
  (by: 1 | -1): Transition =>
  (state) =>
    stepInPast(by * Math.max(10, Math.ceil(state.past.events.length / 20)))(state)

/** Plays from here, or from the beginning if this is the end; or pauses. */
export const togglePlay: Transition = inPast((overlay, state) => {
  if (state.past.reading) return {}
  const at = placeIn(state, overlay)
  return { playing: !overlay.playing, at: !overlay.playing && at === state.past.events.length ? 0 : at }
})

/** The next moment: the whole is played in half a minute, but never slower than ten events a second. */
export const play: Transition = (state) =>
  inPast((overlay) => {
    const at = Math.min(
      state.past.events.length,
      placeIn(state, overlay) + Math.max(1, Math.ceil(state.past.events.length / 300)),
    )
    return { at, playing: at < state.past.events.length }
  })(state)

/** Scrolls the tasks, agents or worktrees. */
export const scrollPast = (by: number): Transition =>
  inPast((overlay, state) => {
    const past = momentOf(state.past.events, placeIn(state, overlay))
    // At a moment with fewer rows the last is the first visible one.
    const upTo = (count: number, from: number): number =>
      Math.max(0, Math.min(count - 1, Math.min(count - 1, from) + by))
    if (overlay.pane === 'board') return { row: upTo(tasksOf(past).length, overlay.row) }
    return { below: upTo(overlay.pane === 'agents' ? past.agents.size : worktreesOf(past).length, overlay.below) }
  })

export const turnPast: Transition = inPast(({ pane }) => ({
  pane: pastPanes[(pastPanes.indexOf(pane) + 1) % pastPanes.length]!,
  below: 0,
}))

/** Turns to a pane, unless it is already shown. */
export const turnPastTo = (to: PastPane): Transition =>
  inPast(({ pane }) => (pane === to ? {} : { pane: to, below: 0 }))
