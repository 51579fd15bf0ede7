import { nothingYet, type Past, type PastWorktree } from '../../../domain/session/past.ts'
import { replay } from '../../../domain/session/replay.ts'
import type { NamedTask } from '../../../operations/screens/related-tasks.ts'
import type { EventView } from '../../../operations/views/events.ts'
import { heightsIn } from '../../core/layout.ts'
import { boundless, type Needs } from '../../core/pane-needs.ts'
import { changingView, type ConsoleState, type Overlay, type Transition } from '../../core/state.ts'

// The session at any moment, from its event log.

export interface PastContents {
  readonly events: readonly EventView[]
  /** True if all events are loaded; otherwise only the newest were read, or more are being read. */
  readonly whole: boolean
  readonly reading: boolean
  readonly names: Readonly<Record<number, NamedTask>>
}

/** The pane that keys scroll, which is the only one on a small terminal. */
const pastPanes = ['board', 'agents', 'worktrees'] as const
type PastPane = (typeof pastPanes)[number]

export interface PastOverlay {
  readonly kind: 'past'
  /** The number of past events; Infinity (the present) until they were read for the first time. */
  readonly at: number
  readonly playing: boolean
  /** Steps taken before the events were read. */
  readonly wish?: number
  /** The first visible task. */
  readonly row: number
  readonly pane: PastPane
  /** The first visible agent or worktree, in the pane that keys scroll. */
  readonly below: number
}

export const fromNow: PastOverlay = { kind: 'past', at: Infinity, playing: false, row: 0, pane: 'board', below: 0 }

export const noPast: PastContents = { events: [], whole: false, reading: true, names: {} }

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

/** Events between two cached moments: any other is at most so many steps away. */
const APART = 250

const remembered = new WeakMap<readonly EventView[], Map<number, Past>>()

/** The known state after `at` events. */
export const momentOf = (events: readonly EventView[], at: number): Past => {
  const known = remembered.get(events) ?? new Map<number, Past>([[0, nothingYet]])
  remembered.set(events, known)
  const exact = known.get(at)
  if (exact) return exact
  const mark = Math.floor(at / APART) * APART
  for (let from = 0; from < mark; from += APART)
    if (!known.has(from + APART)) known.set(from + APART, replay(known.get(from)!, events.slice(from, from + APART)))
  const past = replay(known.get(mark)!, events.slice(mark, at))
  // The drawn moment is requested repeatedly.
  for (const key of known.keys()) if (key % APART !== 0) known.delete(key)
  known.set(at, past)
  return past
}

/** The overlay, also below a view that was opened over it. */
export const pastIn = (state: ConsoleState): PastOverlay | undefined => {
  for (let overlay = state.view.overlay; overlay; overlay = overlay.behind ?? null)
    if (overlay.kind === 'past') return overlay
  return undefined
}

export const placeIn = ({ past }: ConsoleState, { at }: PastOverlay): number =>
  Math.max(0, Math.min(at, past.events.length))

/** Numbers of the tasks that existed, in their order. */
export const tasksOf = (past: Past): readonly number[] => [...past.tasks.keys()].sort((a, b) => a - b)

export const worktreesOf = (past: Past): readonly (readonly [string, PastWorktree])[] =>
  [...past.worktrees].filter(([, { gone }]) => !gone)

// Lays out the panes of a past moment.

/** Lines of the bar, and of the borders around three panes below each other. */
const BAR = 2
const BORDERS = 4

/** Lines inside each visible pane; without room for all of them, one at a time. */
export const pastRooms = (
  { past }: Pick<ConsoleState, 'past'>,
  taken: number,
  pane: PastPane,
): Readonly<Partial<Record<PastPane, number>>> => {
  const inside = Math.max(1, taken - BAR - BORDERS)
  if (inside < 9) return { [pane]: Math.max(1, taken - BAR - 2) }
  const [board, agents, worktrees] = heightsIn(
    {
      panes: pastPanes,
      shares: { board: 0.5, agents: 0.3, worktrees: 0.2, log: 0 },
      order: ['agents', 'worktrees', 'board'],
    },
    inside,
    needsOf(past),
    {},
  )
  return { board: board!, agents: agents!, worktrees: worktrees! }
}

/** The lines of the last moment, so that no border moves while one steps through the others. */
const needsOf = ({ events }: ConsoleState['past']): Needs => {
  const { tasks, agents, worktrees } = momentOf(events, events.length)
  const need = (rows: number) => ({ lines: rows === 0 ? 1 : rows + 1, columns: 0, least: 0 })
  return { ...boundless, board: need(tasks.size), agents: need(agents.size), worktrees: need(worktrees.size) }
}

/** The pane at a line, counted from the bar; a title belongs to its pane. */
export const pastPaneUnder = (
  state: Pick<ConsoleState, 'past'>,
  { pane }: Pick<PastOverlay, 'pane'>,
  taken: number,
  line: number,
): PastPane | undefined => {
  let from = BAR
  const rooms = pastRooms(state, taken, pane)
  return pastPanes.find((each) => {
    const height = rooms[each]
    if (height === undefined || line < from) return false
    from += height + 1
    return line < from
  })
}
