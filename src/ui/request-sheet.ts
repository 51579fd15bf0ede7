import { ours, safeText } from '../domain/safe-text.ts'
import { clockTime, duration, elapsed } from '../domain/time.ts'
import type { RequestView } from '../operations/kernel/requests.ts'
import type { Line } from '../../components/Lines.tsx'
import { fact, heading, paragraph, widthIn } from './detail-lines.ts'
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
    ...fact('tool', request.tool),
    ...fact('asked', `${clockTime(request.askedAt)}, ${duration(elapsed(request.askedAt, state.now))} ago`),
    ...fact('expires', request.status === 'open' && request.expiresAt !== null ? `in ${duration(elapsed(state.now, request.expiresAt))}; then it counts as denied` : null),
    ...fact('a allows', request.rule),
    ...heading(request.kind === 'question' ? 'Question' : 'What it is about'),
    ...paragraph(request.subject, width),
    ...request.options.map((option, index) => ({ text: safeText(`${index + 1}. ${option}`) })),
    ...inputLines(request, width),
  ])
}

const titles: Record<RequestView['kind'], string> = { permission: 'asks for permission', question: 'asks you', denial: 'was not allowed something' }

/** What the keys do now, in words. */
export const answersTo = (request: RequestView | undefined): string => {
  if (!request) return 'it is over   esc back'
  if (request.status !== 'open') return `${outcomes[request.status]}   esc back`
  if (request.kind === 'question') return 'enter answers   n leaves it to the agent   esc back'
  const rule = request.rule === null ? '' : `   a always: ${request.rule}`
  return request.kind === 'denial' ? `n leaves it${rule}   esc back` : `y allows it once   n denies${rule}   esc back`
}

const outcomes: Record<Exclude<RequestView['status'], 'open'>, string> = {
  allowed: 'allowed',
  denied: 'denied',
  answered: 'answered',
  expired: 'nobody answered in time: denied',
  withdrawn: 'withdrawn: its attempt is over',
}

const standing = (request: RequestView): readonly Line[] =>
  request.status === 'open' ? [] : [{ text: ours(outcomes[request.status]), bold: true }, ...fact('told', request.toldAt === null ? null : clockTime(request.toldAt))]

/** An edit as lines that go and lines that come; anything else as it was passed. */
const inputLines = ({ input, subject }: RequestView, width: number): readonly Line[] => {
  if (typeof input !== 'object' || input === null) return []
  const given = input as Record<string, unknown>
  const [before, after] = [given['old_string'], given['new_string'] ?? given['content']]
  const edits = [...marked(before, '-', 'red', width), ...marked(after, '+', 'green', width)]
  if (edits.length > 0) return [...heading('Change'), ...edits]
  const rest = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== subject))
  return Object.keys(rest).length === 0 ? [] : [...heading('Passed with it'), ...paragraph(JSON.stringify(rest, null, 2), width)]
}

const marked = (text: unknown, mark: string, colour: string, width: number): readonly Line[] =>
  typeof text !== 'string' || text === '' ? [] : paragraph(text, width - 1).map((line) => ({ text: ours(`${mark}${line.text}`), colour }))
