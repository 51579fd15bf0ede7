import { noticeLines } from '../../../../components/lines/notice.ts'
import { byUrgency, waitingPlace } from '../../../domain/request/inbox.ts'
import { clockTime, type Instant, later } from '../../../domain/words/time.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import type { Attention } from '../../../operations/screens/attention.ts'
import { RECEIPT } from '../../../operations/screens/board.ts'
import { inboxText } from '../../../text/inbox.ts'
import type { Controller } from '../../core/controller.ts'
import { layoutOf, topFor } from '../../core/layout.ts'
import { changingView, type ConsoleState, type Overlay, type Transition } from '../../core/state.ts'

/** The list of all inbox items, over the panes. */
export interface InboxOverlay {
  readonly kind: 'inbox'
  /** The cursor as a `waitingPlace`, which keeps its place while items come and go. Null is the first. */
  readonly at: string | null
  /** When the cursor reached its item: an answer at the same moment was meant for another one. */
  readonly since: Instant
  /** Places of the items to be answered together. */
  readonly marked: readonly string[]
  /** The first visible item. */
  readonly top: number
}

/** An item answered from this console: its receipt stays in its place until it is confirmed, and a while longer. */
export interface Settled {
  readonly item: Attention
  /** The answer in one word, such as `allowed`. */
  readonly did: string
  readonly at: Instant
  /** The message of the operation; null while it is running. */
  readonly said: string | null
}

/** An answer sooner after the cursor reached its item (ms) is ignored, because the person cannot have read it. */
export const HASTE = 250

// The rows of the inbox: all waiting items, and recently answered ones in their old places.

export interface InboxItem {
  readonly item: Attention
  readonly place: string
  /** Its result; null while it waits. */
  readonly receipt: Receipt | null
}

interface Receipt {
  readonly words: string
  /** True if the database confirms it. */
  readonly confirmed: boolean
}

export const inboxItems = (state: ConsoleState): readonly InboxItem[] => {
  const { attention } = state.board
  const waiting = new Set(attention.map(waitingPlace))
  const settled = new Map(
    state.settled.filter(({ at }) => at > later(state.now, -RECEIPT)).map((one) => [waitingPlace(one.item), one]),
  )
  const over = [...settled.values()].filter(({ item }) => !waiting.has(waitingPlace(item))).map(({ item }) => item)
  return byUrgency([...attention, ...over]).map((item) => {
    const place = waitingPlace(item)
    const one = settled.get(place)
    return {
      item,
      place,
      receipt: one === undefined ? null : receiptOf(state.board.requests, one, !waiting.has(place)),
    }
  })
}

/** A request is settled once the agent has its answer; any other item once it no longer waits. */
const receiptOf = (requests: readonly RequestView[], { item, did, at, said }: Settled, gone: boolean): Receipt => {
  const request = item.requestId === null ? undefined : requests.find(({ id }) => id === item.requestId)
  if (request?.toldAt)
    return { words: inboxText.told(did, request.agentId, clockTime(request.toldAt)), confirmed: true }
  if (said === null) return { words: inboxText.beingDone(did, clockTime(at)), confirmed: false }
  if (request && request.kind !== 'denial')
    return { words: inboxText.beingTold(did, clockTime(at), request.agentId), confirmed: false }
  return { words: `${said} ${clockTime(at)}`, confirmed: gone }
}

/** The index of the cursor: on its item, or if that is gone on the one that has taken its place. */
export const cursorIn = (items: readonly InboxItem[], { at }: Pick<InboxOverlay, 'at'>): number => {
  if (at === null) return 0
  const found = items.findIndex(({ place }) => place >= at)
  return found === -1 ? Math.max(0, items.length - 1) : found
}

export const inboxOf = ({ view }: ConsoleState): (Overlay & InboxOverlay) | undefined =>
  view.overlay?.kind === 'inbox' ? view.overlay : undefined

/** The selected item. */
export const itemAtHand = (state: ConsoleState): InboxItem | undefined => {
  const overlay = inboxOf(state)
  const items = inboxItems(state)
  return overlay && items[cursorIn(items, overlay)]
}

/** Lines of a notice below the list. */
export const inboxNotice = (body: number): number => (body < 9 ? 1 : body < 12 ? 2 : 3)

/** Lines of the list and of the selected item's question, and lines per item. */
export const inboxRoom = ({
  view,
}: Pick<ConsoleState, 'view'>): { readonly list: number; readonly panel: number; readonly each: 1 | 2 } => {
  const { columns, rows } = view.size
  const { body } = layoutOf(columns, rows, view.pane)
  // Three lines are borders and titles.
  const inside = Math.max(2, body - 3)
  const panel = inside < 6 ? 0 : Math.min(16, Math.floor(inside / 2))
  const list = inside - panel
  const noticed = noticeLines(view.notice.text, columns, inboxNotice(body)).length - 1
  // A long notice appears and disappears: the rows keep their places.
  return { list, panel: panel - noticed, each: list >= 6 ? 2 : 1 }
}

export const itemsThatFit = (state: Pick<ConsoleState, 'view'>): number => {
  const { list, each } = inboxRoom(state)
  return Math.max(1, Math.floor(list / each))
}

/** The inbox that was come from. */
export const inboxBehind = (overlay: Overlay | null | undefined): (Overlay & InboxOverlay) | null =>
  !overlay ? null : overlay.kind === 'inbox' ? overlay : inboxBehind(overlay.behind)

/** True if the item is among the visible rows. */
export const showsInInbox = (state: ConsoleState, { top }: InboxOverlay, item: Attention): boolean =>
  inboxItems(state)
    .slice(top, top + itemsThatFit(state))
    .some(({ place }) => place === waitingPlace(item))

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

// The marks of items that are answered together.

export const mark: Transition = (state) => {
  const found = itemAtHand(state)
  return inMarks((marked) =>
    marked.includes(found!.place) ? marked.filter((place) => place !== found!.place) : [...marked, found!.place],
  )(state)
}

/** Marks all items like the selected one; pressed again unmarks them. */
export const markAlike: Transition = (state) => {
  const { item } = itemAtHand(state)!
  const alike = inboxItems(state).filter(
    (one) => one.receipt === null && one.item.kind === item.kind && one.item.like === item.like,
  )
  const places = alike.map(({ place }) => place)
  return inMarks((marked) =>
    places.every((place) => marked.includes(place))
      ? marked.filter((place) => !places.includes(place))
      : [...new Set([...marked, ...places])],
  )(state)
}

function inMarks(change: (marked: readonly string[]) => readonly string[]): Transition {
  return changingView(({ overlay }) =>
    overlay?.kind === 'inbox' ? { overlay: { ...overlay, marked: change(overlay.marked) } } : {},
  )
}
