import type { Attention } from '../../../operations/screens/attention.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import { noOptionsIn, whyNotAnswerThis } from '../../actions/requests.ts'
import { ofNoRow } from '../../actions/open-item.ts'
import { endedWorktreeOf, taskOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { type BulkVerb, whyNotBulk } from './bulk.ts'
import { inboxOf, itemAtHand } from './list.ts'
import { inboxRefusals, inboxText } from '../../../text/inbox.ts'

// The reasons why keys of the inbox are unavailable, and their labels for the selected item.

export const whyNotInbox = ({ board, settled }: ConsoleState): string | undefined =>
  board.attention.length + settled.length > 0 ? undefined : inboxText.nothing

/** The item to be answered, or the reason why there is none. */
const atHand = (state: ConsoleState): Attention | string => {
  const found = itemAtHand(state)
  if (!found) return inboxRefusals.nothingLeft
  return found.receipt === null ? found.item : inboxRefusals.isAnswered(found.receipt.words)
}

const about =
  (why: (item: Attention, state: ConsoleState) => string | undefined) =>
  (state: ConsoleState): string | undefined => {
    const item = atHand(state)
    return typeof item === 'string' ? item : why(item, state)
  }

/** The reason why an answer cannot be given to the marked items, or otherwise to the selected one. */
const answering =
  (verb: BulkVerb, why: (item: Attention, state: ConsoleState) => string | undefined) => (state: ConsoleState) =>
    (inboxOf(state)?.marked.length ?? 0) > 0 ? whyNotBulk(state, verb) : about(why)(state)

const requestOnly = (item: Attention, other: string): string | undefined =>
  item.requestId === null ? other : undefined

const bySheet: Partial<Record<Attention['kind'], string>> = inboxRefusals.bySheet

/** The way to answer an item without a verdict. */
const otherwise = (item: Attention, state: ConsoleState): string =>
  (item.kind === 'failed' ? takesNoRetry(item, state) : undefined) ?? bySheet[item.kind] ?? inboxRefusals.opensIt

const takesNoRetry = (item: Attention, state: ConsoleState): string | undefined => {
  const ended = endedWorktreeOf(state, taskOf(state, item.taskId))
  return ended && inboxRefusals.takesNoRetry(ended.name, ended.status)
}

export const whyNotYes = answering('allow', (item, state) => {
  if (item.kind === 'command' || ofNoRow.has(item.kind) || item.kind === 'budget') return undefined
  return requestOnly(item, otherwise(item, state)) ?? whyNotAnswerThis('allow')(state, item.requestId!)
})
export const whyNotNo = answering(
  'deny',
  (item, state) => requestOnly(item, otherwise(item, state)) ?? whyNotAnswerThis('deny')(state, item.requestId!),
)
export const whyNotAlways = answering('always', (item, state) =>
  item.kind === 'budget'
    ? undefined
    : (requestOnly(item, inboxRefusals.onlyRequests) ?? whyNotAnswerThis('always')(state, item.requestId!)),
)
export const whyNotRetry = answering('retry', (item, state) =>
  item.kind === 'failed' ? takesNoRetry(item, state) : inboxRefusals.onlyFailed,
)
export const whyNotIntegrate = about((item) => (item.worktree === null ? inboxRefusals.noWorktree : undefined))
export const whyNotOption = (state: ConsoleState): string | undefined =>
  (inboxOf(state)?.marked.length ?? 0) > 0
    ? inboxRefusals.byItself
    : about((item) => noOptionsIn(requestOf(state, item)))(state)
export const whyNotOpen = about(() => undefined)

/** The label of a key with a special effect on this kind of item. */
const called =
  (labels: Partial<Record<Attention['kind'], string>>) =>
  (state: ConsoleState): string | undefined => {
    const item = atHand(state)
    return typeof item !== 'string' && inboxOf(state)!.marked.length === 0 ? labels[item.kind] : undefined
  }

export const yesNow = called(inboxText.yesLabels)
export const alwaysNow = called({ budget: inboxText.budgetAlways })
export const noNow = called({ question: inboxText.leaves, denial: inboxText.leaves })

const cancelled: ReadonlySet<Attention['kind']> = new Set(['unstartable', 'stalled', 'command', 'budget', 'failed'])

export const whyNotCancel = (state: ConsoleState): string | undefined =>
  (inboxOf(state)?.marked.length ?? 0) > 0
    ? inboxRefusals.byItself
    : about((item) => (cancelled.has(item.kind) ? undefined : inboxRefusals.onlyStill))(state)

export const whyNotMark = about((item) => (item.like === null ? inboxRefusals.byItself : undefined))

export const requestOf = ({ board }: ConsoleState, item: Attention): RequestView | undefined =>
  board.requests.find(({ id }) => id === item.requestId)
