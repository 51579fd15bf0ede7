import { ours, type SafeText, safeText, spelledOut } from '../domain/safe-text.ts'
import { clockTime, duration, elapsed } from '../domain/time.ts'
import type { RequestView } from '../operations/kernel/requests.ts'
import type { Line } from '../../components/Lines.tsx'
import type { ColourName } from '../../components/theme.ts'
import { fact, heading, verbatim, widthIn } from './detail-lines.ts'
import { agentOf, taskOf } from './selection.ts'
import type { SheetContent } from './sheets.ts'
import { sheetOfLines } from './sheets.ts'
import type { ConsoleState } from './state.ts'
import { commonText } from '../text/common.ts'
import { expiredQuestion, requestAnswers, requestOutcomes, requestText } from '../text/requests.ts'

/** All that a person needs to know to answer an agent. */
export const requestSheet = (state: ConsoleState, id: number): SheetContent | undefined => {
  const request = state.board.requests.find((one) => one.id === id)
  if (!request) return undefined
  const width = widthIn(state)
  const task = taskOf(state, request.taskId)
  return sheetOfLines(safeText(`${request.agentId} ${requestText.titles[request.kind]}`), [
    ...standing(request),
    ...fact(requestText.facts.agent, `${request.agentId}, ${agentOf(state, request.agentId)?.personaId ?? ''}`),
    ...fact(requestText.facts.task, request.taskId === null ? null : `${request.taskId}${task ? ` ${task.title}` : ''}`),
    ...(request.tool === null ? [] : fact(requestText.facts.tool, spelledOut(request.tool).join(' '))),
    ...fact(requestText.facts.asked, commonText.ago(clockTime(request.askedAt), duration(elapsed(request.askedAt, state.now)))),
    ...fact(
      requestText.facts.expires,
      request.status === 'open' && request.expiresAt !== null ? requestText.expires(duration(elapsed(state.now, request.expiresAt)), request.kind === 'question') : null,
    ),
    ...(request.rule === null ? [] : fact(requestText.facts.allows, spelledOut(request.rule).join(' '))),
    ...heading(request.kind === 'question' ? requestText.question : requestText.about),
    ...askedLines(request, width),
  ])
}

/** What exactly is asked, nothing of it hidden. */
export const askedLines = (request: RequestView, width: number): readonly Line[] => [
  ...verbatim(request.subject, width),
  ...request.options.flatMap((option, index) => verbatim(`${index + 1}. ${option}`, width)),
  ...inputLines(request, width),
]

/** What the keys do now, in words. */
export const answersTo = (request: RequestView | undefined, reply = 'enter'): SafeText => {
  if (!request) return ours(requestAnswers.over)
  if (request.status !== 'open') return ours(requestAnswers.ended(outcomeOf(request)))
  const options = request.options.length
  if (request.kind === 'question') return ours(options === 0 ? requestAnswers.question(reply) : requestAnswers.choice(reply, options))
  const rule = request.rule === null ? '' : requestAnswers.always(spelledOut(request.rule).join(' '))
  return ours(request.kind === 'denial' ? requestAnswers.denial(rule) : requestAnswers.permission(rule))
}

const outcomeOf = ({ kind, status }: RequestView): string => (kind === 'question' && status === 'expired' ? expiredQuestion : outcomes[status as keyof typeof outcomes])

const outcomes: Record<Exclude<RequestView['status'], 'open'>, string> = requestOutcomes

const standing = (request: RequestView): readonly Line[] =>
  request.status === 'open' ? [] : [{ text: ours(outcomeOf(request)), bold: true }, ...fact(requestText.facts.told, request.toldAt === null ? null : clockTime(request.toldAt))]

/** An edit as lines that go and lines that come; anything else as it was passed. */
const inputLines = ({ input, subject }: RequestView, width: number): readonly Line[] => {
  if (typeof input !== 'object' || input === null) return []
  const given = input as Record<string, unknown>
  const [goes, comes] = ['old_string', given['new_string'] === undefined ? 'content' : 'new_string']
  const edits = [...marked(given[goes], '-', 'red', width), ...marked(given[comes], '+', 'green', width)]
  const isShown = (key: string, value: unknown): boolean => value === subject || ((key === goes || key === comes) && typeof value === 'string')
  const rest = Object.fromEntries(Object.entries(given).filter(([key, value]) => !isShown(key, value)))
  return [
    ...(edits.length === 0 ? [] : [...heading(requestText.change), ...edits]),
    ...(Object.keys(rest).length === 0 ? [] : [...heading(requestText.passed), ...verbatim(JSON.stringify(rest, null, 2), width)]),
  ]
}

const marked = (text: unknown, mark: string, colour: ColourName, width: number): readonly Line[] =>
  typeof text !== 'string' || text === '' ? [] : verbatim(text, width - 1).map((line) => ({ text: ours(`${mark}${line.text}`), colour }))
