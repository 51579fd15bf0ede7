import { byUrgency, waitingPlace } from '../../../domain/request/inbox.ts'
import { clockTime, later } from '../../../domain/words/time.ts'
import type { Attention } from '../../../operations/screens/attention.ts'
import { RECEIPT } from '../../../operations/screens/board.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import { noticeLines } from '../../../../components/lines/notice.ts'
import { layoutOf } from '../../core/layout.ts'
import type { ConsoleState, Overlay } from '../../core/state.ts'
import type { InboxOverlay, Settled } from './state.ts'
import { inboxText } from '../../../text/inbox.ts'

// The rows of the inbox: all waiting items, and recently answered ones in their old places.

export interface InboxItem {
  readonly item: Attention
  readonly place: string
  /** Its result; null while it waits. */
  readonly receipt: Receipt | null
}

export interface Receipt {
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
