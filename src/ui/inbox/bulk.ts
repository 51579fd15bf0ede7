import { answerRequest } from '../../operations/answer-request.ts'
import type { RequestView } from '../../operations/kernel/requests.ts'
import type { TaskView } from '../../operations/kernel/views.ts'
import type { Attention } from '../../operations/read-board.ts'
import { retryTask } from '../../operations/retry-task.ts'
import { ours, spelledOut } from '../../domain/safe-text.ts'
import type { Desk } from '../desk.ts'
import { layoutOf } from '../layout.ts'
import { fold } from '../../../components/fit.ts'
import { whyNotAnswerThis } from '../request.ts'
import { agentOf } from '../selection.ts'
import type { ConsoleState } from '../state.ts'
import { inboxItems, inboxOf } from './list.ts'
import { behindAnswer, settle } from './settle.ts'
import { actionText } from '../../text/actions.ts'
import { bulkRefusals, bulkText } from '../../text/inbox.ts'
import { answerReceipts } from '../../text/requests.ts'

// Several things that are alike, answered together: one question that names each, then one operation each.

export type BulkVerb = 'allow' | 'deny' | 'always' | 'retry'

export interface BulkIntent {
  readonly kind: 'bulk'
  readonly verb: BulkVerb
  readonly items: readonly Attention[]
}

const markedItems = (state: ConsoleState): readonly Attention[] => {
  const marked = inboxOf(state)?.marked ?? []
  return inboxItems(state)
    .filter(({ place, receipt }) => receipt === null && marked.includes(place))
    .map(({ item }) => item)
}

export const bulkIntent = (state: ConsoleState, verb: BulkVerb): BulkIntent => ({ kind: 'bulk', verb, items: markedItems(state) })

export const whyNotBulk = (state: ConsoleState, verb: BulkVerb): string | undefined => {
  const items = markedItems(state)
  if (items.length === 0) return bulkRefusals.answeredAlready
  for (const item of items) {
    const why = verb === 'retry' ? (item.kind === 'failed' ? undefined : bulkRefusals.noFailedTask(item.text)) : whyNotAnswered(state, item, verb)
    if (why !== undefined) return why
  }
  const { columns, rows } = state.view.size
  // The question has a border and a line of its own; what it asks has to be read whole.
  const room = layoutOf(columns, rows, state.view.pane).body - 3
  const lines = bulkLines(state, bulkIntent(state, verb)).flatMap((line) => fold(ours(line), columns - 4)).length
  return lines <= room ? undefined : bulkRefusals.doesNotFit(lines, room)
}

const whyNotAnswered = (state: ConsoleState, item: Attention, verb: 'allow' | 'deny' | 'always'): string | undefined => {
  if (item.requestId === null) return bulkRefusals.anotherKey(item.text)
  if (item.kind === 'question') return bulkRefusals.inWords
  return whyNotAnswerThis(verb)(state, item.requestId)
}

const verbs: Record<BulkVerb, (n: number) => string> = bulkText.verbs

/** A line each, with all that it is about. */
export const bulkLines = (state: ConsoleState, { verb, items }: BulkIntent): string[] => [
  verbs[verb](items.length),
  ...items.flatMap((item) => spelledOut(`· ${whole(state, item)}`)),
  ...(verb === 'always' ? spelledOut(bulkText.rules([...new Set(items.map((item) => ruleOf(state, item)))])) : []),
]

/** What would stand in the configuration. */
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

/** What was passed besides the subject. */
const hidden = ({ input, subject }: RequestView): string => {
  const rest = Object.entries(input as Record<string, unknown>).filter(([key, value]) => value !== subject && key !== 'description')
  return rest.length === 0 ? '' : ` ${JSON.stringify(Object.fromEntries(rest))}`
}

/** What is told when one of them is done. */
export const bulkReceipts = {
  allow: ({ agentId, tool }: RequestView): string => answerReceipts.allowed(agentId, tool),
  deny: ({ agentId, tool, kind }: RequestView): string => (kind === 'denial' ? answerReceipts.left : answerReceipts.denied(agentId, tool)),
  always: ({ personaId, rule }: RequestView & { personaId: string }): string => answerReceipts.allowedAlways(rule, personaId),
  retry: ({ id }: Pick<TaskView, 'id'>): string => actionText.isOnBoard(id),
} as const

/** One operation each, and a receipt each; what one refuses does not hold up the others. */
export const carryOutBulk = (desk: Desk, { verb, items }: BulkIntent): void => {
  for (const item of items) {
    if (verb === 'retry') settle(desk, item, bulkText.retried, retryTask, { taskId: item.taskId! }, bulkReceipts.retry)
    else settle(desk, item, answerReceipts.did[verb], answerRequest, { requestId: item.requestId!, verdict: verb }, bulkReceipts[verb])
  }
  desk.change(behindAnswer(items.at(-1), desk.connection.core.clock()))
}
