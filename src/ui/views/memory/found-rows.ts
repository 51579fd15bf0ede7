import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { fit } from '../../../../components/base/fit.ts'
import { entriesIn } from './lists.ts'
import type { MemoryContents, MemoryRow, MemoryTab, RecordRef } from './state.ts'
import { shortTime } from './words.ts'
import { memoryText } from '../../../text/memory.ts'

// The rows of a search's results.

/** The most results listed for each place. */
export const MOST_FOUND = 50

export const tabs: Record<MemoryTab, string> = memoryText.tabs

export const foundInFiles = (
  memory: MemoryContents,
  tab: Exclude<MemoryTab, 'conversations'>,
  words: readonly string[],
) => {
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

export const found = (
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
