import { nothingYet, type Past } from '../../../domain/session/past.ts'
import { replay } from '../../../domain/session/replay.ts'
import type { EventView } from '../../../operations/views/events.ts'
import type { ConsoleState } from '../../core/state.ts'
import type { PastOverlay } from './state.ts'

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
