import { whyWorktreeBusy } from '../reasons.ts'
import { whyCommandWaits } from '../../domain/schedule.ts'
import { elapsed } from '../../domain/time.ts'
import type { Attention } from '../../operations/read-board.ts'
import { answerRequest } from '../../operations/answer-request.ts'
import type { RequestView } from '../../operations/kernel/requests.ts'
import { retryTask } from '../../operations/retry-task.ts'
import type { Desk } from '../desk.ts'
import { giveBudget, stopFor } from '../budget/budget.ts'
import { answerForm } from '../forms.ts'
import { linesOf } from '../intents.ts'
import { open } from '../overlays.ts'
import { answerQuestionAway, answerWith, noOptionsIn, whyNotAnswerThis } from '../request.ts'
import { endedWorktreeOf, taskOf } from '../selection.ts'
import { type ConsoleState, looking, type Transition } from '../state.ts'
import type { Stroke } from '../strokes.ts'
import { type BulkVerb, bulkIntent, bulkReceipts, whyNotBulk } from './bulk.ts'
import { inboxItems, inboxOf, itemAtHand } from './list.ts'
import { integrateItem, openItem } from './open.ts'
import { isWhollySeen } from './rows.ts'
import { inboxBehind, settle } from './settle.ts'
import { HASTE } from './state.ts'
import { bulkText, inboxRefusals, inboxText } from '../../text/inbox.ts'
import { answerReceipts } from '../../text/requests.ts'

// What the letters do in the inbox, and why not.

export const whyNotInbox = ({ board, settled }: ConsoleState): string | undefined => (board.attention.length + settled.length > 0 ? undefined : inboxText.nothing)

/** From what was opened out of the list back to it, with its marks. */
export const openInbox = (desk: Desk): void =>
  desk.change((state) => {
    const behind = inboxBehind(state.view.overlay)
    if (behind) return looking(() => ({ overlay: { ...behind, since: desk.connection.core.clock() } }))(state)
    const at = state.board.attention.length > 0 ? state.view.shown : null
    return open({
      kind: 'inbox',
      at: inboxItems(state).find(({ place }) => place === at)?.place ?? inboxItems(state)[0]?.place ?? null,
      since: desk.connection.core.clock(),
      marked: [],
      top: 0,
    })(state)
  })

/** The item that is to be answered, or why none is. */
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

/** Why one of the answers cannot be given, to what is marked or else to what is under the cursor. */
const answering = (verb: BulkVerb, why: (item: Attention, state: ConsoleState) => string | undefined) => (state: ConsoleState) =>
  (inboxOf(state)?.marked.length ?? 0) > 0 ? whyNotBulk(state, verb) : about(why)(state)

const requestOnly = (item: Attention, other: string): string | undefined => (item.requestId === null ? other : undefined)

const bySheet: Partial<Record<Attention['kind'], string>> = inboxRefusals.bySheet

/** How an item is answered that has no verdict. */
const otherwise = (item: Attention, state: ConsoleState): string => (item.kind === 'failed' ? takesNoRetry(item, state) : undefined) ?? bySheet[item.kind] ?? inboxRefusals.opensIt

const takesNoRetry = (item: Attention, state: ConsoleState): string | undefined => {
  const ended = endedWorktreeOf(state, taskOf(state, item.taskId))
  return ended && inboxRefusals.takesNoRetry(ended.name, ended.status)
}

export const whyNotYes = answering('allow', (item, state) => {
  if (item.kind === 'command' || item.kind === 'configuration' || item.kind === 'budget') return undefined
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

/** What a key is called that does something of its own to this kind of item. */
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
  (verb: BulkVerb, single: (desk: Desk, item: Attention) => void) =>
  (desk: Desk): void =>
    inboxOf(desk.state())!.marked.length > 0 ? askBulk(desk, verb) : answerOne(single)(desk)

/** Answers at once what is wholly on the screen, and what needs no second look; else it is opened. */
const answerOne =
  (single: (desk: Desk, item: Attention) => void) =>
  (desk: Desk): void => {
    const state = desk.state()
    const overlay = inboxOf(state)!
    const { item, place } = itemAtHand(state)!
    const now = desk.connection.core.clock()
    const hasty = place !== overlay.at || elapsed(overlay.since, now) < HASTE
    desk.change(looking((view) => (view.overlay?.kind === 'inbox' ? { overlay: { ...view.overlay, at: place, since: now } } : {})))
    if (hasty) return desk.tell(inboxRefusals.tooFast, 'refused')
    if ((item.requestId !== null || item.kind === 'budget') && !isWhollySeen(state, item)) {
      openItem(desk, item)
      return desk.tell(inboxRefusals.readFirst, 'refused')
    }
    single(desk, item)
  }

const askBulk = (desk: Desk, verb: BulkVerb): void =>
  desk.change((state) => {
    const intent = bulkIntent(state, verb)
    return open({ kind: 'confirm', intent, lines: linesOf(state, intent) })(state)
  })

const verdict =
  (verb: 'allow' | 'deny' | 'always', did: string) =>
  (desk: Desk, item: Attention): void =>
    settle(desk, item, did, answerRequest, { requestId: item.requestId!, verdict: verb }, bulkReceipts[verb])

export const yes = answer('allow', (desk, item) => {
  if (item.kind === 'configuration') return openItem(desk, item)
  if (item.kind === 'command') return startCommand(desk, item)
  if (item.kind === 'budget') return giveBudget(desk, item, { kind: 'raise' })
  verdict('allow', answerReceipts.did.allow)(desk, item)
})

export const no = answer('deny', (desk, item) => {
  if (item.kind === 'question') return answerQuestionAway(desk, item)
  verdict('deny', item.kind === 'denial' ? answerReceipts.did.leave : answerReceipts.did.deny)(desk, item)
})

export const always = answer('always', (desk, item) => {
  if (item.kind === 'budget') return giveBudget(desk, item, { kind: 'none' })
  verdict('always', answerReceipts.did.always)(desk, item)
})

/** Ends what stands still or has failed for good; a task after a question that names it. */
export const cancel = answerOne(stopFor)

export const retry = answer('retry', (desk, item) => settle(desk, item, bulkText.retried, retryTask, { taskId: item.taskId! }, bulkReceipts.retry))

/** A command is started after a question that spells it out. */
const startCommand = (desk: Desk, item: Attention): void => {
  const task = taskOf(desk.state(), item.taskId)
  if (!task || task.command === null || whyCommandWaits(task) === undefined) return openItem(desk, item)
  const intent = { kind: 'spawn', taskId: task.id, personaId: task.personaId, command: task.command, beside: whyWorktreeBusy(desk.state(), task) } as const
  desk.change((state) => open({ kind: 'confirm', intent, lines: linesOf(state, intent) })(state))
}

/** By its number one of the answers that an agent gave to choose from. */
export const answerWithOption = (desk: Desk, stroke?: Stroke): void => answerOne((_, item) => answerWith(desk, requestOf(desk.state(), item)!, stroke))(desk)

const requestOf = ({ board }: ConsoleState, item: Attention): RequestView | undefined => board.requests.find(({ id }) => id === item.requestId)

/** Enter: a question is answered in words, anything else is opened. */
export const openHere = (desk: Desk): void => {
  const { item } = itemAtHand(desk.state())!
  const request = requestOf(desk.state(), item)
  if (request?.kind === 'question' && isWhollySeen(desk.state(), item)) return desk.change(open({ kind: 'form', form: answerForm(request.id, request.subject, request.options) }))
  openItem(desk, item)
}

export const integrateHere = (desk: Desk): void => integrateItem(desk, itemAtHand(desk.state())!.item)

export const whyNotMark = about((item) => (item.like === null ? inboxRefusals.byItself : undefined))

export const mark: Transition = (state) => {
  const found = itemAtHand(state)
  return inMarks((marked) => (marked.includes(found!.place) ? marked.filter((place) => place !== found!.place) : [...marked, found!.place]))(state)
}

/** Marks all that are like the one under the cursor; once more unmarks them. */
export const markAlike: Transition = (state) => {
  const { item } = itemAtHand(state)!
  const alike = inboxItems(state).filter((one) => one.receipt === null && one.item.kind === item.kind && one.item.like === item.like)
  const places = alike.map(({ place }) => place)
  return inMarks((marked) => (places.every((place) => marked.includes(place)) ? marked.filter((place) => !places.includes(place)) : [...new Set([...marked, ...places])]))(state)
}

function inMarks(change: (marked: readonly string[]) => readonly string[]): Transition {
  return looking(({ overlay }) => (overlay?.kind === 'inbox' ? { overlay: { ...overlay, marked: change(overlay.marked) } } : {}))
}
