import { ours, type SafeText, safeText, spelledOut } from '../../../domain/words/safe-text.ts'
import { clockTime, duration, elapsed } from '../../../domain/words/time.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { fact, heading, widthIn } from '../../rows/lines.ts'
import { askedLines } from '../../rows/requests.ts'
import { agentOf, taskOf } from '../../core/selection.ts'
import type { SheetContent } from '../../core/registry.ts'
import { sheetOfLines } from '../../core/overlays.ts'
import type { ConsoleState } from '../../core/state.ts'
import { commonText } from '../../../text/common.ts'
import { expiredQuestion, requestAnswers, requestOutcomes, requestText } from '../../../text/inbox.ts'

/** Everything a person needs to answer an agent. */
export const requestSheet = (state: ConsoleState, id: number): SheetContent | undefined => {
  const request = state.board.requests.find((one) => one.id === id)
  if (!request) return undefined
  const width = widthIn(state)
  const task = taskOf(state, request.taskId)
  return sheetOfLines(safeText(`${request.agentId} ${requestText.titles[request.kind]}`), [
    ...standing(request),
    ...fact(requestText.facts.agent, `${request.agentId}, ${agentOf(state, request.agentId)?.personaId ?? ''}`),
    ...fact(
      requestText.facts.task,
      request.taskId === null ? null : `${request.taskId}${task ? ` ${task.title}` : ''}`,
    ),
    ...(request.tool === null ? [] : fact(requestText.facts.tool, spelledOut(request.tool).join(' '))),
    ...fact(
      requestText.facts.asked,
      commonText.ago(clockTime(request.askedAt), duration(elapsed(request.askedAt, state.now))),
    ),
    ...fact(
      requestText.facts.expires,
      request.status === 'open' && request.expiresAt !== null
        ? requestText.expires(duration(elapsed(state.now, request.expiresAt)), request.kind === 'question')
        : null,
    ),
    ...(request.rule === null ? [] : fact(requestText.facts.allows, spelledOut(request.rule).join(' '))),
    ...heading(request.kind === 'question' ? requestText.question : requestText.about),
    ...askedLines(request, width),
  ])
}

/** The keys that may have been bound to others. */
interface AnswerKeys {
  readonly reply: string
  readonly words: string
}

/** The present actions of the keys, as text. */
export const answersTo = (
  request: RequestView | undefined,
  { reply, words }: AnswerKeys = { reply: 'enter', words: 'N' },
): SafeText => {
  if (!request) return ours(requestAnswers.over)
  if (request.status !== 'open') return ours(requestAnswers.ended(outcomeOf(request)))
  const options = request.options.length
  if (request.kind === 'question')
    return ours(options === 0 ? requestAnswers.question(reply) : requestAnswers.choice(reply, options))
  const rule = request.rule === null ? '' : requestAnswers.always(spelledOut(request.rule).join(' '))
  return ours(request.kind === 'denial' ? requestAnswers.denial(rule) : requestAnswers.permission(rule, words))
}

const outcomeOf = ({ kind, status }: RequestView): string =>
  kind === 'question' && status === 'expired' ? expiredQuestion : outcomes[status as keyof typeof outcomes]

const outcomes: Record<Exclude<RequestView['status'], 'open'>, string> = requestOutcomes

const standing = (request: RequestView): readonly Line[] =>
  request.status === 'open'
    ? []
    : [
        { text: ours(outcomeOf(request)), bold: true },
        ...fact(requestText.facts.told, request.toldAt === null ? null : clockTime(request.toldAt)),
      ]
