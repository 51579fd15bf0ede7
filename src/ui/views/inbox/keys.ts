import { whyWorktreeBusy } from '../../rows/tasks.ts'
import { whyCommandWaits } from '../../../domain/task/startable.ts'
import { elapsed } from '../../../domain/words/time.ts'
import type { Attention } from '../../../operations/screens/attention.ts'
import { answerRequest } from '../../../operations/requests/answers.ts'
import { retryTask } from '../../../operations/tasks/retry.ts'
import type { Controller } from '../../core/controller.ts'
import { giveBudget, stopFor } from '../../actions/budget.ts'
import { ask, settle } from '../../actions/answers.ts'
import { spawnQuestion } from '../../actions/scheduling.ts'
import { open, returning } from '../../core/overlays.ts'
import { answerForm, answerQuestionAway, answerWith } from '../../actions/requests.ts'
import { taskOf } from '../../core/selection.ts'
import { changingView } from '../../core/state.ts'
import type { Stroke } from '../../keys/strokes.ts'
import { type BulkVerb, bulkQuestion, bulkReceipts } from './bulk.ts'
import { inboxBehind, inboxItems, inboxOf, itemAtHand } from './list.ts'
import { integrateItem, ofNoRow, openItem } from '../../actions/open-item.ts'
import { isWhollySeen } from './lines.ts'
import { requestOf } from './reasons.ts'
import { HASTE } from './state.ts'
import { answerReceipts, bulkText, inboxRefusals } from '../../../text/inbox.ts'

// Key handlers of the inbox.

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
