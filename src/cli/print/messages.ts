import { safeText, spelledOut } from '../../domain/words/safe-text.ts'
import { duration, elapsed, type Instant } from '../../domain/words/time.ts'
import type { MessageView } from '../../operations/messages/messages.ts'
import type { RequestView } from '../../operations/requests/requests.ts'
import { blocks, columns, pairs, section } from './columns.ts'

// Requests of agents to a person, and messages in both directions, as text.

export const requestList = (requests: readonly RequestView[], now: Instant): string =>
  requests.length === 0
    ? 'No requests.'
    : columns(
        ['ID', 'AGENT', 'ASKS', 'TOOL', 'STATE', 'AGE', 'ABOUT'],
        requests.map(({ id, agentId, kind, tool, status, askedAt, subject }) => [
          id,
          agentId,
          kind,
          tool,
          status,
          duration(elapsed(askedAt, now)),
          subject.slice(0, 200),
        ]),
        ['ID', 'AGE'],
      )

export const requestDetail = (
  { id, agentId, kind, tool, taskId, askedAt, subject, input, options, rule }: RequestView,
  now: Instant,
): string =>
  blocks([
    pairs([
      ['request', id],
      ['agent', agentId],
      ['task', taskId],
      ['asks', kind],
      ['tool', tool && flat(tool)],
      ['since', duration(elapsed(askedAt, now))],
      ['rule', rule && flat(rule)],
    ]),
    spelledOut(subject).join('\n'),
    section('Answers', options.map(flat)),
    input === null ? '' : spelledOut(JSON.stringify(input, null, 2)).join('\n'),
  ])

export const requestLine = ({ id, agentId, status, answer }: RequestView): string =>
  safeText(`Request ${id} of ${agentId}: ${status}${status === 'answered' ? `: ${answer}` : ''}`)

/** The subject of a person's decision, on one line. */
const flat = (text: string): string => spelledOut(text).join(' ')

/** One line for a message: its number, its receipt, and where it goes. */
export const messageLine = (message: MessageView): string =>
  `${message.id}  ${states[message.status](message)}  ${message.author} → ${message.sentTo ?? message.agentId}  ${message.kind === 'stop' ? '(stop the turn)' : JSON.stringify(message.text)}`

/** Mail to a person, complete. */
export const mailText = (messages: readonly MessageView[]): string =>
  messages
    .map(({ id, author, saidAt, text }) => `Message ${id} of ${author}, ${saidAt}\n${text.replace(/^/gm, '  ')}`)
    .join('\n\n')

export const messageList = (messages: readonly MessageView[]): string =>
  messages.length === 0 ? 'No messages.' : messages.map(messageLine).join('\n')

const states: Record<MessageView['status'], (message: MessageView) => string> = {
  queued: ({ when }) => `queued (${whens[when]})`,
  handed_over: () => 'handed over',
  seen: () => 'seen',
  refused: ({ reason }) => `refused: ${reason ?? ''}`,
}

const whens: Record<MessageView['when'], string> = {
  now: 'now',
  turn: 'at the end of the turn',
  attempt: 'with the next attempt',
}
