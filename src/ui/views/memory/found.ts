import { ours } from '../../../domain/words/safe-text.ts'
import type { TaskLogView } from '../../../operations/views/tasks.ts'
import { messageName } from './conversation-rows.ts'
import { found, foundInFiles, MOST_FOUND, tabs } from './found-rows.ts'
import type { Found, MemoryContents } from './state.ts'
import { foundText } from '../../../text/memory.ts'

/** Results from the database. */
export interface FoundRows {
  readonly conversations: {
    readonly total: number
    readonly conversations: readonly { messageId: string; at: string; userInput: string; agentResponse: string }[]
  }
  readonly executions: {
    readonly total: number
    readonly executions: readonly { messageId: string; at: string; summary: string; observations: string }[]
  }
  readonly notes: { readonly logs: readonly TaskLogView[]; readonly among: number | null }
}

/** The words of a search, each once. */
export const wordsIn = (text: string): readonly string[] => [
  ...new Set(text.split(/\s+/).filter((word) => word !== '')),
]

/**
 * All results, each with its place, author and time. A turn whose conversation and execution both match is listed once.
 */
export const foundFor = (
  typed: string,
  memory: MemoryContents,
  { conversations, executions, notes }: FoundRows,
): Found => {
  const words = wordsIn(typed).map((word) => word.toLowerCase())
  const files = (['working', 'decisions', 'timeline'] as const).map((tab) => foundInFiles(memory, tab, words))
  const said = conversations.conversations.map(({ messageId, at, userInput, agentResponse }) =>
    found(
      tabs.conversations,
      `said:${messageId}`,
      messageName(messageId),
      at,
      `${userInput}\n${agentResponse}`,
      words,
      { of: 'message', messageId },
    ),
  )
  const known = new Set(conversations.conversations.map(({ messageId }) => messageId))
  const done = executions.executions
    .filter(({ messageId }) => !known.has(messageId))
    .map(({ messageId, at, summary, observations }) =>
      found(
        foundText.executions,
        `done:${messageId}`,
        messageName(messageId),
        at,
        `${summary}\n${observations}`,
        words,
        { of: 'message', messageId },
      ),
    )
  const logs = notes.logs.map((note) =>
    found(foundText.taskLogs, `note:${note.id}`, `${note.agentId} ${note.taskId}`, note.loggedAt, note.message, words, {
      of: 'note',
      note,
    }),
  )
  const rows = [...files.flatMap((one) => one.rows), ...said, ...done, ...logs]
  const summary = [
    ...files.map(({ name, rows: { length }, total }) => amount(name, length, total)),
    amount(tabs.conversations, said.length, conversations.total),
    amount(foundText.executions, done.length, executions.total - (executions.executions.length - done.length)),
    inLogs(logs.length, notes.among),
  ].filter((part) => part !== '')
  return { words: typed, rows, summary: ours(summary.join(', ')) }
}

/** If there are many notes, states that only the newest were searched. */
const inLogs = (listed: number, among: number | null): string => {
  if (listed === 0) return among === null ? '' : foundText.noneInNotes(among)
  return foundText.inNotes(listed, listed === MOST_FOUND, among)
}

const amount = (name: string, listed: number, total: number): string =>
  total === 0 ? '' : foundText.inPlace(name, listed, total)
