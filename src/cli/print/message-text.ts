import type { MessageView } from '../../operations/messages/messages.ts'

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
