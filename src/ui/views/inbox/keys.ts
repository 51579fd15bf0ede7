import { whyWorktreeBusy } from '../../rows/reasons.ts'
import { whyCommandWaits } from '../../../domain/task/startable.ts'
import { elapsed } from '../../../domain/words/time.ts'
import type { Attention } from '../../../operations/screens/read-board.ts'
import { answerRequest } from '../../../operations/requests/answer-request.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import { retryTask } from '../../../operations/tasks/retry-task.ts'
import type { Controller } from '../../core/controller.ts'
import { giveBudget, stopFor } from '../../actions/budget.ts'
import { ask } from '../../actions/question.ts'
import { spawnQuestion } from '../../actions/spawn.ts'
import { open } from '../../core/overlays.ts'
import { answerForm, answerQuestionAway, answerWith, noOptionsIn, whyNotAnswerThis } from '../../actions/answer.ts'
import { endedWorktreeOf, taskOf } from '../../core/selection.ts'
import { type ConsoleState, changingView, type Transition } from '../../core/state.ts'
import type { Stroke } from '../../keys/strokes.ts'
import { type BulkVerb, bulkQuestion, bulkReceipts, whyNotBulk } from './bulk.ts'
import { inboxBehind, inboxItems, inboxOf, itemAtHand } from './list.ts'
import { integrateItem, ofNoRow, openItem } from '../../actions/items.ts'
import { isWhollySeen } from './lines.ts'
import { settle } from '../../actions/settle.ts'
import { HASTE } from './state.ts'
import { bulkText, inboxRefusals, inboxText } from '../../../text/inbox.ts'
import { answerReceipts } from '../../../text/requests.ts'

// Key handlers of the inbox, and the reasons why they are unavailable.

export const whyNotInbox = ({ board, settled }: ConsoleState): string | undefined => (board.attention.length + settled.length > 0 ? undefined : inboxText.nothing)

/** Returns from a view that was opened from the list, with its marks. */
export const openInbox = (controller: Controller): void =>
  controller.change((state) => {
    const behind = inboxBehind(state.view.overlay)
    if (behind) return changingView(() => ({ overlay: { ...behind, since: controller.connection.core.clock() } }))(state)
    const at = state.board.attention.length > 0 ? state.view.shown : null
    return open({
      kind: 'inbox',
      at: inboxItems(state).find(({ place }) => place === at)?.place ?? inboxItems(state)[0]?.place ?? null,
      since: controller.connection.core.clock(),
      marked: [],
      top: 0,
    })(state)
  })

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
const answering = (verb: BulkVerb, why: (item: Attention, state: ConsoleState) => string | undefined) => (state: ConsoleState) =>
  (inboxOf(state)?.marked.length ?? 0) > 0 ? whyNotBulk(state, verb) : about(why)(state)

const requestOnly = (item: Attention, other: string): string | undefined => (item.requestId === null ? other : undefined)

const bySheet: Partial<Record<Attention['kind'], string>> = inboxRefusals.bySheet

/** The way to answer an item without a verdict. */
const otherwise = (item: Attention, state: ConsoleState): string => (item.kind === 'failed' ? takesNoRetry(item, state) : undefined) ?? bySheet[item.kind] ?? inboxRefusals.opensIt

const takesNoRetry = (item: Attention, state: ConsoleState): string | undefined => {
  const ended = endedWorktreeOf(state, taskOf(state, item.taskId))
  return ended && inboxRefusals.takesNoRetry(ended.name, ended.status)
}

export const whyNotYes = answering('allow', (item, state) => {
  if (item.kind === 'command' || ofNoRow.has(item.kind) || item.kind === 'budget') return undefined
  return requestOnly(item, otherwise(item, state)) ?? whyNotAnswerThis('allow')(state, item.requestId!)
})
export const whyNotNo = answering('deny', (item, state) => requestOnly(item, otherwise(item, state)) ?? whyNotAnswerThis('deny')(state, item.requestId!))
export const whyNotAlways = answering('always', (item, state) =>
  item.kind === 'budget' ? undefined : (requestOnly(item, inboxRefusals.onlyRequests) ?? whyNotAnswerThis('always')(state, item.requestId!)),
)
export const whyNotRetry = answering('retry', (item, state) => (item.kind === 'failed' ? takesNoRetry(item, state) : inboxRefusals.onlyFailed))
export const whyNotIntegrate = about((item) => (item.worktree === null ? inboxRefusals.noWorktree : undefined))
export const whyNotOption = (state: ConsoleState): string | undefined =>
  (inboxOf(state)?.marked.length ?? 0) > 0 ? inboxRefusals.byItself : about((item) => noOptionsIn(requestOf(state, item)))(state)
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
  (inboxOf(state)?.marked.length ?? 0) > 0 ? inboxRefusals.byItself : about((item) => (cancelled.has(item.kind) ? undefined : inboxRefusals.onlyStill))(state)

const answer =
  (verb: BulkVerb, single: (controller: Controller, item: Attention) => void) =>
  (controller: Controller): void =>
    inboxOf(controller.state())!.marked.length > 0 ? askBulk(controller, verb) : answerOne(single)(controller)

/** Answers at once if the whole item is visible and needs no confirmation; otherwise opens it. */
const answerOne =
  (single: (controller: Controller, item: Attention) => void) =>
  (controller: Controller): void => {
    const state = controller.state()
    const overlay = inboxOf(state)!
    const { item, place } = itemAtHand(state)!
    const now = controller.connection.core.clock()
    const hasty = place !== overlay.at || elapsed(overlay.since, now) < HASTE
    controller.change(changingView((view) => (view.overlay?.kind === 'inbox' ? { overlay: { ...view.overlay, at: place, since: now } } : {})))
    if (hasty) return controller.tell(inboxRefusals.tooFast, 'refused')
    if ((item.requestId !== null || item.kind === 'budget') && !isWhollySeen(state, item)) {
      openItem(controller, item)
      return controller.tell(inboxRefusals.readFirst, 'refused')
    }
    single(controller, item)
  }

const askBulk = (controller: Controller, verb: BulkVerb): void => ask(controller, (state) => bulkQuestion(state, verb))

const verdict =
  (verb: 'allow' | 'deny' | 'always', did: string) =>
  (controller: Controller, item: Attention): void =>
    settle(controller, item, did, answerRequest, { requestId: item.requestId!, verdict: verb }, bulkReceipts[verb])

export const yes = answer('allow', (controller, item) => {
  if (ofNoRow.has(item.kind)) return openItem(controller, item)
  if (item.kind === 'command') return startCommand(controller, item)
  if (item.kind === 'budget') return giveBudget(controller, item, { kind: 'raise' })
  verdict('allow', answerReceipts.did.allow)(controller, item)
})

export const no = answer('deny', (controller, item) => {
  if (item.kind === 'question') return answerQuestionAway(controller, item)
  verdict('deny', item.kind === 'denial' ? answerReceipts.did.leave : answerReceipts.did.deny)(controller, item)
})

export const always = answer('always', (controller, item) => {
  if (item.kind === 'budget') return giveBudget(controller, item, { kind: 'none' })
  verdict('always', answerReceipts.did.always)(controller, item)
})

/** Ends a stalled or failed task, after a question that names it. */
export const cancel = answerOne(stopFor)

export const retry = answer('retry', (controller, item) => settle(controller, item, bulkText.retried, retryTask, { taskId: item.taskId! }, bulkReceipts.retry))

/** Starts a command, after a question that spells it out. */
const startCommand = (controller: Controller, item: Attention): void => {
  const task = taskOf(controller.state(), item.taskId)
  if (!task || task.command === null || whyCommandWaits(task) === undefined) return openItem(controller, item)
  ask(controller, (state) => spawnQuestion({ taskId: task.id, personaId: task.personaId, command: task.command, beside: whyWorktreeBusy(state, task) }))
}

/** Selects one of the agent's options by its number. */
export const answerWithOption = (controller: Controller, stroke?: Stroke): void =>
  answerOne((_, item) => answerWith(controller, requestOf(controller.state(), item)!, stroke))(controller)

const requestOf = ({ board }: ConsoleState, item: Attention): RequestView | undefined => board.requests.find(({ id }) => id === item.requestId)

/** Enter: answers a question in words, and opens any other item. */
export const openHere = (controller: Controller): void => {
  const { item } = itemAtHand(controller.state())!
  const request = requestOf(controller.state(), item)
  if (request?.kind === 'question' && isWhollySeen(controller.state(), item)) return controller.change(open({ kind: 'form', form: answerForm(request) }))
  openItem(controller, item)
}

export const integrateHere = (controller: Controller): void => integrateItem(controller, itemAtHand(controller.state())!.item)

export const whyNotMark = about((item) => (item.like === null ? inboxRefusals.byItself : undefined))

export const mark: Transition = (state) => {
  const found = itemAtHand(state)
  return inMarks((marked) => (marked.includes(found!.place) ? marked.filter((place) => place !== found!.place) : [...marked, found!.place]))(state)
}

/** Marks all items like the selected one; pressed again unmarks them. */
export const markAlike: Transition = (state) => {
  const { item } = itemAtHand(state)!
  const alike = inboxItems(state).filter((one) => one.receipt === null && one.item.kind === item.kind && one.item.like === item.like)
  const places = alike.map(({ place }) => place)
  return inMarks((marked) => (places.every((place) => marked.includes(place)) ? marked.filter((place) => !places.includes(place)) : [...new Set([...marked, ...places])]))(state)
}

function inMarks(change: (marked: readonly string[]) => readonly string[]): Transition {
  return changingView(({ overlay }) => (overlay?.kind === 'inbox' ? { overlay: { ...overlay, marked: change(overlay.marked) } } : {}))
}
