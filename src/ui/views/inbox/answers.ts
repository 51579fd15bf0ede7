import { fold } from '../../../../components/base/fit.ts'
import { whyCommandWaits } from '../../../domain/task/startable.ts'
import { ours, spelledOut } from '../../../domain/words/safe-text.ts'
import { elapsed } from '../../../domain/words/time.ts'
import { answerRequest } from '../../../operations/requests/answers.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import type { Attention } from '../../../operations/screens/attention.ts'
import { retryTask } from '../../../operations/tasks/retry.ts'
import type { TaskView } from '../../../operations/views/tasks.ts'
import { answerReceipts, bulkRefusals, bulkText, inboxRefusals, inboxText } from '../../../text/inbox.ts'
import { actionText } from '../../../text/panes.ts'
import { ask, behindAnswer, type Question, settle } from '../../actions/answers.ts'
import { giveBudget, stopFor } from '../../actions/budget.ts'
import { integrateItem, ofNoRow, openItem } from '../../actions/open-item.ts'
import { answerForm, answerQuestionAway, answerWith, noOptionsIn, whyNotAnswerThis } from '../../actions/requests.ts'
import { spawnQuestion } from '../../actions/scheduling.ts'
import type { Controller } from '../../core/controller.ts'
import { layoutOf } from '../../core/layout.ts'
import { open, returning } from '../../core/overlays.ts'
import { agentOf, endedWorktreeOf, taskOf } from '../../core/selection.ts'
import { changingView, type ConsoleState } from '../../core/state.ts'
import type { Stroke } from '../../keys/strokes.ts'
import { whyWorktreeBusy } from '../../rows/tasks.ts'
import { HASTE, inboxBehind, inboxItems, inboxOf, itemAtHand } from './inbox.ts'
import { isWhollySeen } from './lines.ts'

// The answers to items of the inbox: their keys, the reasons why they are unavailable, and similar items together.

/** Returns from a view that was opened from the list, with its marks. */
export const openInbox = (controller: Controller): void =>
  controller.change((state) => {
    const behind = inboxBehind(state.view.overlay)
    if (behind)
      return changingView(() => ({ overlay: { ...behind, since: controller.connection.core.clock() } }))(state)
    const at = state.board.attention.length > 0 ? state.view.shown : null
    return returning(
      open({
        kind: 'inbox',
        at: inboxItems(state).find(({ place }) => place === at)?.place ?? inboxItems(state)[0]?.place ?? null,
        since: controller.connection.core.clock(),
        marked: [],
        top: 0,
      }),
    )(state)
  })

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
    controller.change(
      changingView((view) =>
        view.overlay?.kind === 'inbox' ? { overlay: { ...view.overlay, at: place, since: now } } : {},
      ),
    )
    if (hasty) return controller.tell(inboxRefusals.tooFast, 'refused')
    if ((item.requestId !== null || item.kind === 'budget') && !isWhollySeen(state, item)) {
      openItem(controller, item)
      return controller.tell(inboxRefusals.readFirst, 'refused')
    }
    single(controller, item)
  }

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

export const retry = answer('retry', (controller, item) =>
  settle(controller, item, bulkText.retried, retryTask, { taskId: item.taskId! }, bulkReceipts.retry),
)

/** Starts a command, after a question that spells it out. */
const startCommand = (controller: Controller, item: Attention): void => {
  const task = taskOf(controller.state(), item.taskId)
  if (!task || task.command === null || whyCommandWaits(task) === undefined) return openItem(controller, item)
  ask(controller, (state) =>
    spawnQuestion({
      taskId: task.id,
      personaId: task.personaId,
      command: task.command,
      beside: whyWorktreeBusy(state, task),
    }),
  )
}

/** Selects one of the agent's options by its number. */
export const answerWithOption = (controller: Controller, stroke?: Stroke): void =>
  answerOne((_, item) => answerWith(controller, requestOf(controller.state(), item)!, stroke))(controller)

/** Enter: answers a question in words, and opens any other item. */
export const openHere = (controller: Controller): void => {
  const { item } = itemAtHand(controller.state())!
  const request = requestOf(controller.state(), item)
  if (request?.kind === 'question' && isWhollySeen(controller.state(), item))
    return controller.change(open({ kind: 'form', form: answerForm(request) }))
  openItem(controller, item)
}

export const integrateHere = (controller: Controller): void =>
  integrateItem(controller, itemAtHand(controller.state())!.item)

const requestOf = ({ board }: ConsoleState, item: Attention): RequestView | undefined =>
  board.requests.find(({ id }) => id === item.requestId)

// Similar items are answered together: one question that names each, then one operation each.

type BulkVerb = 'allow' | 'deny' | 'always' | 'retry'

interface Bulk {
  readonly verb: BulkVerb
  readonly items: readonly Attention[]
}

const askBulk = (controller: Controller, verb: BulkVerb): void => ask(controller, (state) => bulkQuestion(state, verb))

const bulkQuestion = (state: ConsoleState, verb: BulkVerb): Question => {
  const bulk = bulkOf(state, verb)
  return { lines: bulkLines(state, bulk), carryOut: (controller) => carryOutBulk(controller, bulk) }
}

const bulkOf = (state: ConsoleState, verb: BulkVerb): Bulk => ({ verb, items: markedItems(state) })

const markedItems = (state: ConsoleState): readonly Attention[] => {
  const marked = inboxOf(state)?.marked ?? []
  return inboxItems(state)
    .filter(({ place, receipt }) => receipt === null && marked.includes(place))
    .map(({ item }) => item)
}

/** A line each, with all that it is about. */
const bulkLines = (state: ConsoleState, { verb, items }: Bulk): string[] => [
  verbs[verb](items.length),
  ...items.flatMap((item) => spelledOut(`· ${whole(state, item)}`)),
  ...(verb === 'always' ? spelledOut(bulkText.rules([...new Set(items.map((item) => ruleOf(state, item)))])) : []),
]

const verbs: Record<BulkVerb, (n: number) => string> = bulkText.verbs

const whole = ({ board }: ConsoleState, item: Attention): string => {
  const request = board.requests.find(({ id }) => id === item.requestId)
  if (!request) return item.text
  const input = request.input === null || typeof request.input !== 'object' ? '' : hidden(request)
  return `${item.text}${input}`
}

/** The arguments in addition to the subject. */
const hidden = ({ input, subject }: RequestView): string => {
  const rest = Object.entries(input as Record<string, unknown>).filter(
    ([key, value]) => value !== subject && key !== 'description',
  )
  return rest.length === 0 ? '' : ` ${JSON.stringify(Object.fromEntries(rest))}`
}

/** The rule that would be added to the configuration. */
const ruleOf = (state: ConsoleState, item: Attention): string => {
  const persona = agentOf(state, item.agentId)?.personaId
  return `${state.board.requests.find(({ id }) => id === item.requestId)?.rule ?? ''}${persona === undefined ? '' : bulkText.forPersona(persona)}`
}

/** One operation each, and a receipt each; what one refuses does not hold up the others. */
const carryOutBulk = (controller: Controller, { verb, items }: Bulk): void => {
  for (const item of items) {
    if (verb === 'retry')
      settle(controller, item, bulkText.retried, retryTask, { taskId: item.taskId! }, bulkReceipts.retry)
    else
      settle(
        controller,
        item,
        answerReceipts.did[verb],
        answerRequest,
        { requestId: item.requestId!, verdict: verb },
        bulkReceipts[verb],
      )
  }
  controller.change(behindAnswer(items.at(-1), controller.connection.core.clock()))
}

/** The message after each of them. */
const bulkReceipts = {
  allow: ({ agentId, tool }: RequestView): string => answerReceipts.allowed(agentId, tool),
  deny: ({ agentId, tool, kind }: RequestView): string =>
    kind === 'denial' ? answerReceipts.left : answerReceipts.denied(agentId, tool),
  always: ({ personaId, rule }: RequestView & { personaId: string }): string =>
    answerReceipts.allowedAlways(rule, personaId),
  retry: ({ id }: Pick<TaskView, 'id'>): string => actionText.isOnBoard(id),
} as const

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

const whyNotBulk = (state: ConsoleState, verb: BulkVerb): string | undefined => {
  const items = markedItems(state)
  if (items.length === 0) return bulkRefusals.answeredAlready
  for (const item of items) {
    const why =
      verb === 'retry'
        ? item.kind === 'failed'
          ? undefined
          : bulkRefusals.noFailedTask(item.text)
        : whyNotAnswered(state, item, verb)
    if (why !== undefined) return why
  }
  const { columns, rows } = state.view.size
  // The question has a border and a line for its keys, and must be visible completely.
  const room = layoutOf(columns, rows, state.view.pane).body - 3
  const lines = bulkLines(state, bulkOf(state, verb)).flatMap((line) => fold(ours(line), columns - 4)).length
  return lines <= room ? undefined : bulkRefusals.doesNotFit(lines, room)
}

const whyNotAnswered = (
  state: ConsoleState,
  item: Attention,
  verb: 'allow' | 'deny' | 'always',
): string | undefined => {
  if (item.requestId === null) return bulkRefusals.anotherKey(item.text)
  if (item.kind === 'question') return bulkRefusals.inWords
  return whyNotAnswerThis(verb)(state, item.requestId)
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
