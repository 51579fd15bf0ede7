import type { LogContents, LogEntry } from './state.ts'

/** The most lines that are kept, the most characters of all of them, and of one line. */
export const limits = { lines: 20_000, characters: 8_000_000, line: 4000 } as const

/** Appends lines; the oldest are dropped if there is no room. */
export const appended = ({ entries, dropped }: LogContents, added: readonly LogEntry[]): LogContents => {
  const all =
    entries.length + added.length > limits.lines ? [...entries, ...added].slice(-limits.lines) : [...entries, ...added]
  let characters = 0
  let from = all.length
  while (from > 0 && (characters += all[from - 1]!.text.length) <= limits.characters) from--
  const kept = from === 0 ? all : all.slice(from)
  return { entries: kept, dropped: dropped + entries.length + added.length - kept.length }
}
