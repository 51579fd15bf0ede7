import { fit } from '../../../../components/base/fit.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import type { TaskLogView } from '../../../operations/views/tasks.ts'
import { foundText, memoryText } from '../../../text/memory.ts'
import { entriesIn, type Found, type MemoryContents, messageName } from './memory.ts'
import { type MemoryRow, type MemoryTab, type RecordRef, shortTime } from './rows.ts'

// A search in all memories: its results as rows.

/** Results from the database. */
interface FoundRows {
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

// The rows of a search's results.

/** The most results listed for each place. */
export const MOST_FOUND = 50

const tabs: Record<MemoryTab, string> = memoryText.tabs

const foundInFiles = (memory: MemoryContents, tab: Exclude<MemoryTab, 'conversations'>, words: readonly string[]) => {
  const entries = entriesIn(memory, tab)
  const rows: MemoryRow[] = []
  let total = 0
  for (let index = 0; index < (entries?.total ?? 0); index++) {
    const sought = entries!.sought(index)
    if (!sought) continue
    const text = sought.text()
    const lower = `${sought.who}\n${text}`.toLowerCase()
    if (!words.every((word) => lower.includes(word))) continue
    if (total++ < MOST_FOUND)
      rows.push(
        found(tabs[tab], entries!.row(index).key, sought.who, sought.at, text, words, entries!.row(index).opens),
      )
  }
  return { name: tabs[tab], rows, total }
}

const found = (
  place: string,
  key: string,
  who: string,
  at: string,
  text: string,
  words: readonly string[],
  opens: RecordRef | null,
): MemoryRow => ({
  key: `${place} ${key}`,
  line: {
    text: ours(
      `${fit(place, 13)}  ${at === '' ? fit('', 11) : shortTime(at)}  ${fit(safeText(who), 16)}  ${excerpt(text, words)}`,
    ),
  },
  narrow: {
    text: ours(
      `${fit(place, 8)} ${at === '' ? '' : `${shortTime(at)} `}${fit(safeText(who), 10)} ${excerpt(text, words)}`,
    ),
  },
  opens,
})

/** Characters before the first word, and in total. */
const [BEFORE, SHOWN] = [24, 300]

/** The text around its first matching word. */
const excerpt = (text: string, words: readonly string[]): SafeText => {
  const lower = text.toLowerCase()
  const at = Math.min(
    ...words.map((word) => lower.indexOf(word)).filter((place) => place !== -1),
    Number.MAX_SAFE_INTEGER,
  )
  // From the beginning, the rest of a short text is visible as well.
  const from = at === Number.MAX_SAFE_INTEGER || at < 2 * BEFORE ? 0 : at - BEFORE
  return ours(`${from > 0 ? '…' : ''}${safeText(text.slice(from, from + SHOWN))}`)
}
