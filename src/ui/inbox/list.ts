import { byUrgency, waitingPlace } from '../../domain/attention.ts'
import { clockTime, later } from '../../domain/time.ts'
import { type Attention, RECEIPT } from '../../operations/read-board.ts'
import type { RequestView } from '../../operations/kernel/requests.ts'
import { noticeLines } from '../../../components/notice-lines.ts'
import type { Desk } from '../desk.ts'
import { layoutOf, topFor } from '../layout.ts'
import { type ConsoleState, looking, type Overlay, type Transition } from '../state.ts'
import type { InboxOverlay, Settled } from './state.ts'
import { inboxText } from '../../text/inbox.ts'

// What the inbox lists: all that waits, and what was just answered, in its old place.

export interface InboxItem {
  readonly item: Attention
  readonly place: string
  /** What became of it; null while it waits. */
  readonly receipt: Receipt | null
}

export interface Receipt {
  readonly words: string
  /** The database says so. */
  readonly confirmed: boolean
}

export const inboxItems = (state: ConsoleState): readonly InboxItem[] => {
  const { attention } = state.board
  const waiting = new Set(attention.map(waitingPlace))
  const settled = new Map(state.settled.filter(({ at }) => at > later(state.now, -RECEIPT)).map((one) => [waitingPlace(one.item), one]))
  const over = [...settled.values()].filter(({ item }) => !waiting.has(waitingPlace(item))).map(({ item }) => item)
  return byUrgency([...attention, ...over]).map((item) => {
    const place = waitingPlace(item)
    const one = settled.get(place)
    return { item, place, receipt: one === undefined ? null : receiptOf(state.board.requests, one, !waiting.has(place)) }
  })
}

/** An agent has its answer once it was handed over; anything else is done once it waits no more. */
const receiptOf = (requests: readonly RequestView[], { item, did, at, said }: Settled, gone: boolean): Receipt => {
  const request = item.requestId === null ? undefined : requests.find(({ id }) => id === item.requestId)
  if (request?.toldAt) return { words: inboxText.told(did, request.agentId, clockTime(request.toldAt)), confirmed: true }
  if (said === null) return { words: inboxText.beingDone(did, clockTime(at)), confirmed: false }
  if (request && request.kind !== 'denial') return { words: inboxText.beingTold(did, clockTime(at), request.agentId), confirmed: false }
  return { words: `${said} ${clockTime(at)}`, confirmed: gone }
}

/** Where the cursor is in the list: on its item, or where that is gone on what has come to its place. */
export const cursorIn = (items: readonly InboxItem[], { at }: Pick<InboxOverlay, 'at'>): number => {
  if (at === null) return 0
  const found = items.findIndex(({ place }) => place >= at)
  return found === -1 ? Math.max(0, items.length - 1) : found
}

export const inboxOf = ({ view }: ConsoleState): (Overlay & InboxOverlay) | undefined => (view.overlay?.kind === 'inbox' ? view.overlay : undefined)

/** The item under the cursor. */
export const itemAtHand = (state: ConsoleState): InboxItem | undefined => {
  const overlay = inboxOf(state)
  const items = inboxItems(state)
  return overlay && items[cursorIn(items, overlay)]
}

/** Lines that a notice may take below the list. */
export const inboxNotice = (body: number): number => (body < 9 ? 1 : body < 12 ? 2 : 3)

/** Lines of the list and of what is shown of the item under the cursor, and how many lines an item has. */
export const inboxRoom = ({ view }: Pick<ConsoleState, 'view'>): { readonly list: number; readonly panel: number; readonly each: 1 | 2 } => {
  const { columns, rows } = view.size
  const { body } = layoutOf(columns, rows, view.pane)
  // Three lines of borders and titles.
  const inside = Math.max(2, body - 3)
  const panel = inside < 6 ? 0 : Math.min(16, Math.floor(inside / 2))
  const list = inside - panel
  const noticed = noticeLines(view.notice.text, columns, inboxNotice(body)).length - 1
  // A long notice comes and goes: the rows keep their place.
  return { list, panel: panel - noticed, each: list >= 6 ? 2 : 1 }
}

export const itemsThatFit = (state: Pick<ConsoleState, 'view'>): number => {
  const { list, each } = inboxRoom(state)
  return Math.max(1, Math.floor(list / each))
}

export const moveInInbox = (state: ConsoleState, overlay: Overlay & InboxOverlay, by: number): ConsoleState => {
  const items = inboxItems(state)
  const index = Math.max(0, Math.min(items.length - 1, cursorIn(items, overlay) + by))
  const place = items[index]?.place ?? null
  if (place === overlay.at) return state
  return looking(() => ({ overlay: { ...overlay, at: place, since: state.now, top: topFor(overlay.top, index, itemsThatFit(state), items.length) } }))(state)
}

/** Whoever has moved the cursor cannot have read yet what it has come to; the moment of the state may be a second old. */
export const cameFrom = (before: InboxOverlay | undefined, desk: Desk): void => {
  const overlay = inboxOf(desk.state())
  if (before && overlay && before.at !== overlay.at) desk.change(looking(() => ({ overlay: { ...overlay, since: desk.connection.core.clock() } })))
}

/** To the next item that waits, behind a place; to where it was when nothing waits. */
export const toNextItem = (overlay: Overlay & InboxOverlay, place: string, now: string): Transition =>
  looking((_, state) => {
    const items = inboxItems(state)
    const open = items.filter(({ receipt }) => receipt === null)
    const next = open.find((item) => item.place > place) ?? open[0]
    const at = next?.place ?? place
    const index = Math.max(
      0,
      items.findIndex((item) => item.place === at),
    )
    return { overlay: { ...overlay, at, since: now, marked: [], top: topFor(overlay.top, index, itemsThatFit(state), items.length) } }
  })
