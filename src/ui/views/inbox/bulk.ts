import { answerRequest } from '../../../operations/requests/answers.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import type { TaskView } from '../../../operations/views/tasks.ts'
import type { Attention } from '../../../operations/screens/attention.ts'
import { retryTask } from '../../../operations/tasks/retry.ts'
import { ours, spelledOut } from '../../../domain/words/safe-text.ts'
import type { Controller } from '../../core/controller.ts'
import { layoutOf } from '../../core/layout.ts'
import { fold } from '../../../../components/base/fit.ts'
import { whyNotAnswerThis } from '../../actions/requests.ts'
import { agentOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { inboxItems, inboxOf } from './list.ts'
import { behindAnswer, type Question, settle } from '../../actions/answers.ts'
import { actionText } from '../../../text/panes.ts'
import { answerReceipts, bulkRefusals, bulkText } from '../../../text/inbox.ts'

// Similar items are answered together: one question that names each, then one operation each.

export type BulkVerb = 'allow' | 'deny' | 'always' | 'retry'

interface Bulk {
  readonly verb: BulkVerb
  readonly items: readonly Attention[]
}

const markedItems = (state: ConsoleState): readonly Attention[] => {
  const marked = inboxOf(state)?.marked ?? []
  return inboxItems(state)
    .filter(({ place, receipt }) => receipt === null && marked.includes(place))
    .map(({ item }) => item)
}

const bulkOf = (state: ConsoleState, verb: BulkVerb): Bulk => ({ verb, items: markedItems(state) })

export const bulkQuestion = (state: ConsoleState, verb: BulkVerb): Question => {
  const bulk = bulkOf(state, verb)
  return { lines: bulkLines(state, bulk), carryOut: (controller) => carryOutBulk(controller, bulk) }
}

export const whyNotBulk = (state: ConsoleState, verb: BulkVerb): string | undefined => {
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

const verbs: Record<BulkVerb, (n: number) => string> = bulkText.verbs

/** A line each, with all that it is about. */
const bulkLines = (state: ConsoleState, { verb, items }: Bulk): string[] => [
  verbs[verb](items.length),
  ...items.flatMap((item) => spelledOut(`· ${whole(state, item)}`)),
  ...(verb === 'always' ? spelledOut(bulkText.rules([...new Set(items.map((item) => ruleOf(state, item)))])) : []),
]

/** The rule that would be added to the configuration. */
const ruleOf = (state: ConsoleState, item: Attention): string => {
  const persona = agentOf(state, item.agentId)?.personaId
  return `${state.board.requests.find(({ id }) => id === item.requestId)?.rule ?? ''}${persona === undefined ? '' : bulkText.forPersona(persona)}`
}

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

/** The message after each of them. */
export const bulkReceipts = {
  allow: ({ agentId, tool }: RequestView): string => answerReceipts.allowed(agentId, tool),
  deny: ({ agentId, tool, kind }: RequestView): string =>
    kind === 'denial' ? answerReceipts.left : answerReceipts.denied(agentId, tool),
  always: ({ personaId, rule }: RequestView & { personaId: string }): string =>
    answerReceipts.allowedAlways(rule, personaId),
  retry: ({ id }: Pick<TaskView, 'id'>): string => actionText.isOnBoard(id),
} as const

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
