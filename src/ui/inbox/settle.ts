import { waitingPlace } from '../../domain/attention.ts'
import { later } from '../../domain/time.ts'
import { type Attention, RECEIPT } from '../../operations/read-board.ts'
import type { Operation } from '../../operations/kernel/operation.ts'
import type { Desk, InputOf, OutputOf, Receipt } from '../desk.ts'
import { closeAll } from '../overlays.ts'
import { type ConsoleState, looking, type Overlay, type Transition } from '../state.ts'
import { toNextItem } from './list.ts'
import type { InboxOverlay, Settled } from './state.ts'

// From an answer to its receipt.

/** Answers one item by one operation, wherever it is answered from; goes back to the inbox where that lies behind, to its next item. */
export const settle = <O extends Operation>(
  desk: Desk,
  item: Attention | undefined,
  did: string,
  operation: O,
  input: InputOf<O>,
  receipt: (output: OutputOf<O>) => Receipt,
  refused?: () => void,
): void => {
  if (!item) {
    desk.change(closeAll)
    return desk.perform(operation, input, receipt, refused)
  }
  desk.change(settling(item, did, desk.connection.core.clock()))
  desk.change(behindAnswer(item, desk.connection.core.clock()))
  desk.perform(
    operation,
    input,
    (output) => {
      const said = receipt(output)
      desk.change(told(item, typeof said === 'string' ? said : said.text))
      return said
    },
    () => {
      desk.change(unsettled(item))
      refused?.()
    },
  )
}

/** The item that a request, a task or a worktree waits by. */
export const itemOf = ({ board }: ConsoleState, about: Partial<Pick<Attention, 'requestId' | 'taskId' | 'worktree' | 'kind'>>): Attention | undefined =>
  board.attention.find((item) => (Object.keys(about) as (keyof typeof about)[]).every((key) => item[key] === about[key]))

export const placeOf = (state: ConsoleState, about: Parameters<typeof itemOf>[1]): string | null => {
  const item = itemOf(state, about)
  return item === undefined ? state.view.shown : waitingPlace(item)
}

/** Back to the inbox, if it is what was come from; else to the panes. */
export const behindAnswer =
  (item: Attention | undefined, now: string): Transition =>
  (state) => {
    const inbox = inboxBehind(state.view.overlay)
    if (!inbox) return closeAll(state)
    return toNextItem(inbox, item === undefined ? (inbox.at ?? '') : waitingPlace(item), now)(state)
  }

/** The inbox if it is what was come from, with its cursor on an item; else the panes. What was marked there stays. */
export const inboxAt =
  (item: Attention): Transition =>
  (state) => {
    const inbox = inboxBehind(state.view.overlay)
    return inbox ? looking(() => ({ overlay: { ...inbox, at: waitingPlace(item) } }))(state) : closeAll(state)
  }

/** The inbox that was come from. */
export const inboxBehind = (overlay: Overlay | null | undefined): (Overlay & InboxOverlay) | null =>
  !overlay ? null : overlay.kind === 'inbox' ? overlay : inboxBehind(overlay.behind)

export const settling =
  (item: Attention, did: string, at: string): Transition =>
  (state) => ({
    ...state,
    settled: [...state.settled.filter((one) => waitingPlace(one.item) !== waitingPlace(item) && one.at > later(at, -RECEIPT)), { item, did, at, said: null }],
  })

const told = (item: Attention, said: string): Transition => changed(item, (one) => ({ ...one, said }))

const unsettled =
  (item: Attention): Transition =>
  (state) => ({ ...state, settled: state.settled.filter((one) => waitingPlace(one.item) !== waitingPlace(item)) })

const changed =
  (item: Attention, change: (one: Settled) => Settled): Transition =>
  (state) => ({ ...state, settled: state.settled.map((one) => (waitingPlace(one.item) === waitingPlace(item) ? change(one) : one)) })
