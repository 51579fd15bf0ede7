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

/** All that a person needs to know to answer an agent. */
export const requestSheet = (state: ConsoleState, id: number): SheetContent | undefined => {
  const request = state.board.requests.find((one) => one.id === id)
  if (!request) return undefined
  const width = widthIn(state)
  const task = taskOf(state, request.taskId)
  return sheetOfLines(safeText(`${request.agentId} ${titles[request.kind]}`), [
    ...standing(request),
    ...fact('agent', `${request.agentId}, ${agentOf(state, request.agentId)?.personaId ?? ''}`),
    ...fact('task', request.taskId === null ? null : `${request.taskId}${task ? ` ${task.title}` : ''}`),
    ...(request.tool === null ? [] : fact('tool', spelledOut(request.tool).join(' '))),
    ...fact('asked', `${clockTime(request.askedAt)}, ${duration(elapsed(request.askedAt, state.now))} ago`),
    ...fact(
      'expires',
      request.status === 'open' && request.expiresAt !== null
        ? `in ${duration(elapsed(state.now, request.expiresAt))}; then ${request.kind === 'question' ? 'the agent decides by itself' : 'it counts as denied'}`
        : null,
    ),
    ...(request.rule === null ? [] : fact('a allows', spelledOut(request.rule).join(' '))),
    ...heading(request.kind === 'question' ? 'Question' : 'What it is about'),
    ...askedLines(request, width),
  ])
}

/** What exactly is asked, nothing of it hidden. */
export const askedLines = (request: RequestView, width: number): readonly Line[] => [
  ...verbatim(request.subject, width),
  ...request.options.flatMap((option, index) => verbatim(`${index + 1}. ${option}`, width)),
  ...inputLines(request, width),
]

const titles: Record<RequestView['kind'], string> = { permission: 'asks for permission', question: 'asks you', denial: 'was not allowed something' }

/** What the keys do now, in words. */
export const answersTo = (request: RequestView | undefined): SafeText => {
  if (!request) return ours('it is over   esc back')
  if (request.status !== 'open') return ours(`${outcomeOf(request)}   esc back`)
  if (request.kind === 'question') return ours('enter answers   n leaves it to the agent   esc back')
  const rule = request.rule === null ? '' : `   a always: ${spelledOut(request.rule).join(' ')}`
  return ours(request.kind === 'denial' ? `n leaves it${rule}   esc back` : `y allows it once   n denies${rule}   esc back`)
}

const outcomeOf = ({ kind, status }: RequestView): string =>
  kind === 'question' && status === 'expired' ? 'nobody answered in time: the agent decides by itself' : outcomes[status as keyof typeof outcomes]

const outcomes: Record<Exclude<RequestView['status'], 'open'>, string> = {
  allowed: 'allowed',
  denied: 'denied',
  answered: 'answered',
  expired: 'nobody answered in time: denied',
  withdrawn: 'withdrawn: its attempt is over',
}

const standing = (request: RequestView): readonly Line[] =>
  request.status === 'open' ? [] : [{ text: ours(outcomeOf(request)), bold: true }, ...fact('told', request.toldAt === null ? null : clockTime(request.toldAt))]

/** An edit as lines that go and lines that come; anything else as it was passed. */
const inputLines = ({ input, subject }: RequestView, width: number): readonly Line[] => {
  if (typeof input !== 'object' || input === null) return []
  const given = input as Record<string, unknown>
  const [goes, comes] = ['old_string', given['new_string'] === undefined ? 'content' : 'new_string']
  const edits = [...marked(given[goes], '-', 'red', width), ...marked(given[comes], '+', 'green', width)]
  const isShown = (key: string, value: unknown): boolean => value === subject || ((key === goes || key === comes) && typeof value === 'string')
  const rest = Object.fromEntries(Object.entries(given).filter(([key, value]) => !isShown(key, value)))
  return [
    ...(edits.length === 0 ? [] : [...heading('Change'), ...edits]),
    ...(Object.keys(rest).length === 0 ? [] : [...heading('Passed with it'), ...verbatim(JSON.stringify(rest, null, 2), width)]),
  ]
}

const marked = (text: unknown, mark: string, colour: ColourName, width: number): readonly Line[] =>
  typeof text !== 'string' || text === '' ? [] : verbatim(text, width - 1).map((line) => ({ text: ours(`${mark}${line.text}`), colour }))
