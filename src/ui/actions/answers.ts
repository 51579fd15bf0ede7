import { waitingPlace } from '../../domain/request/inbox.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { later } from '../../domain/words/time.ts'
import type { Operation } from '../../operations/perform/operation.ts'
import type { Attention } from '../../operations/screens/attention.ts'
import { RECEIPT } from '../../operations/screens/board.ts'
import type { Controller, InputOf, OutputOf, Receipt } from '../core/controller.ts'
import { closeAll, closeOver, open, viewOf } from '../core/overlays.ts'
import type { ConsoleState, Overlay, Transition } from '../core/state.ts'
import type { Settled } from '../views/inbox/inbox.ts'

// From a question, or an inbox item, to the answer and its receipt.

/** The exact effects of an action, one per line, and the function that carries it out. */
export interface Question {
  readonly lines: readonly string[]
  readonly carryOut: (controller: Controller) => void
}

/** Asks before something is done that is not easily undone. */
export const ask = (controller: Controller, question: (state: ConsoleState) => Question): void =>
  controller.change((state) => open(asked(question(state)))(state))

export const asked = ({ lines, carryOut }: Question): Overlay => ({
  kind: 'confirm',
  lines: lines.map(safeText),
  carryOut,
})

// The steps from an answer to its receipt.

/** Answers one item by one operation, from any view; returns to the next item of the inbox if that is below. */
export const settle = <O extends Operation>(
  controller: Controller,
  item: Attention | undefined,
  did: string,
  operation: O,
  input: InputOf<O>,
  receipt: (output: OutputOf<O>) => Receipt,
  refused?: () => void,
): void => {
  if (!item) {
    controller.change(closeOver)
    return controller.perform(operation, input, receipt, refused)
  }
  controller.change(settling(item, did, controller.connection.core.clock()))
  controller.change(behindAnswer(item, controller.connection.core.clock()))
  controller.perform(
    operation,
    input,
    (output) => {
      const said = receipt(output)
      controller.change(told(item, typeof said === 'string' ? said : said.text))
      return said
    },
    () => {
      controller.change(unsettled(item))
      refused?.()
    },
  )
}

/** The inbox item of a request, a task or a worktree. */
export const itemOf = (
  { board }: ConsoleState,
  about: Partial<Pick<Attention, 'requestId' | 'taskId' | 'worktree' | 'agentId' | 'kind' | 'target' | 'host'>>,
): Attention | undefined =>
  board.attention.find((item) =>
    (Object.keys(about) as (keyof typeof about)[]).every((key) => item[key] === about[key]),
  )

export const placeOf = (state: ConsoleState, about: Parameters<typeof itemOf>[1]): string | null => {
  const item = itemOf(state, about)
  return item === undefined ? state.view.shown : waitingPlace(item)
}

/** Back to the list of what waits, if it is what was come from, and to its next item; else to the view that asked, or to the panes. */
export const behindAnswer =
  (item: Attention | undefined, now: string): Transition =>
  (state) => {
    const list = listBehind(state, state.view.overlay)
    return list
      ? viewOf(state, list).queue!.next(state, list, item === undefined ? null : waitingPlace(item), now)
      : closeOver(state)
  }

/** As `behindAnswer`, to an item itself. What was marked in the list stays. */
export const backTo =
  (item: Attention): Transition =>
  (state) => {
    const list = listBehind(state, state.view.overlay)
    return list ? viewOf(state, list).queue!.at(state, list, waitingPlace(item)) : closeAll(state)
  }

/** The list of what waits, if it is what was come from. */
const listBehind = (state: ConsoleState, overlay: Overlay | null | undefined): Overlay | null =>
  !overlay ? null : viewOf(state, overlay).queue ? overlay : listBehind(state, overlay.behind)

const settling =
  (item: Attention, did: string, at: string): Transition =>
  (state) => ({
    ...state,
    settled: [
      ...state.settled.filter((one) => waitingPlace(one.item) !== waitingPlace(item) && one.at > later(at, -RECEIPT)),
      { item, did, at, said: null },
    ],
  })

const told = (item: Attention, said: string): Transition => changed(item, (one) => ({ ...one, said }))

const unsettled =
  (item: Attention): Transition =>
  (state) => ({ ...state, settled: state.settled.filter((one) => waitingPlace(one.item) !== waitingPlace(item)) })

const changed =
  (item: Attention, change: (one: Settled) => Settled): Transition =>
  (state) => ({
    ...state,
    settled: state.settled.map((one) => (waitingPlace(one.item) === waitingPlace(item) ? change(one) : one)),
  })
