import { ours, safeText } from '../../../domain/words/safe-text.ts'
import type { ConversationPage } from '../../../operations/memory/trail.ts'
import { fit } from '../../../../components/base/fit.ts'
import type { MemoryRow, MemoryRows } from './state.ts'
import { beginning, shortTime } from './words.ts'
import { memoryText } from '../../../text/memory.ts'

/** Conversations, newest first: the rows of a loaded page, and placeholders for the others. */
export const conversationRows = ({ total, from, conversations }: ConversationPage): MemoryRows => ({
  total,
  row: (index) => {
    const head = conversations[index - from]
    return head ? rowOf(head) : { key: `place-${index}`, line: { text: ours('…'), dim: true }, opens: null }
  },
  find: (key) => {
    const index = conversations.findIndex(({ messageId }) => messageId === key)
    return index === -1 ? -1 : from + index
  },
})

/** ✓ and ✗ show its execution's result. */
const rowOf = ({ messageId, at, said, success }: ConversationPage['conversations'][number]): MemoryRow => ({
  key: messageId,
  line: {
    text: ours(
      `${success === null ? ' ' : success ? '✓' : '✗'} ${shortTime(at)}  ${fit(messageName(messageId), 16)}  ${beginning(said)}`,
    ),
    colour: success === false ? 'red' : undefined,
  },
  opens: { of: 'message', messageId },
})

/** `task 3, attempt 1` for an id that aiswarm assigned, otherwise the id. */
export const messageName = (messageId: string): string => {
  const match = /:task-(\d+):(\d+)$/.exec(messageId)
  return match ? memoryText.tryOf(match[1]!, match[2]!) : safeText(messageId)
}
