import type { Controller } from '../../core/controller.ts'
import { topFor } from '../../core/layout.ts'
import { type ConsoleState, changingView, type Overlay } from '../../core/state.ts'
import { cursorIn, inboxItems, inboxOf, inboxRoom, itemsThatFit } from './list.ts'
import type { InboxOverlay } from './state.ts'

// Moves of the inbox's cursor.

export const moveInInbox = (state: ConsoleState, overlay: InboxOverlay, by: number): ConsoleState => {
  const items = inboxItems(state)
  const index = Math.max(0, Math.min(items.length - 1, cursorIn(items, overlay) + by))
  const place = items[index]?.place ?? null
  if (place === overlay.at) return state
  return changingView(() => ({
    overlay: {
      ...overlay,
      at: place,
      since: state.now,
      top: topFor(overlay.top, index, itemsThatFit(state), items.length),
    },
  }))(state)
}

/** After the cursor has moved, the person has not read the new item yet; the time in the state may be a second old. */
export const cameFrom = (before: InboxOverlay, controller: Controller): void => {
  const overlay = inboxOf(controller.state())
  if (overlay && before.at !== overlay.at)
    controller.change(changingView(() => ({ overlay: { ...overlay, since: controller.connection.core.clock() } })))
}

/** Moves the cursor to the next open item after a place (by default its own), or to the first one; to that place itself if no item is open. */
export const toNextItem = (
  state: ConsoleState,
  overlay: Overlay & InboxOverlay,
  from: string | null,
  now: string,
): ConsoleState => {
  const items = inboxItems(state)
  const open = items.filter(({ receipt }) => receipt === null)
  const place = from ?? overlay.at ?? ''
  const next = open.find((item) => item.place > place) ?? open[0]
  const at = next?.place ?? place
  const index = Math.max(
    0,
    items.findIndex((item) => item.place === at),
  )
  return changingView(() => ({
    overlay: {
      ...overlay,
      at,
      since: now,
      marked: [],
      top: topFor(overlay.top, index, itemsThatFit(state), items.length),
    },
  }))(state)
}

/** The cursor on an item; what was marked stays. */
export const toItem = (state: ConsoleState, overlay: Overlay & InboxOverlay, place: string): ConsoleState =>
  changingView(() => ({ overlay: { ...overlay, at: place } }))(state)

/** Selects the item on a line of the list. */
export const clickInbox = (state: ConsoleState, overlay: InboxOverlay, line: number): ConsoleState => {
  const items = inboxItems(state)
  const at = cursorIn(items, overlay)
  const row = topFor(overlay.top, at, itemsThatFit(state), items.length) + Math.floor(line / inboxRoom(state).each)
  return line < 0 || line >= inboxRoom(state).list || row >= items.length
    ? state
    : moveInInbox(state, overlay, row - at)
}
