import type { SafeText } from '../../../domain/words/safe-text.ts'
import { fold } from '../../../../components/base/fit.ts'
import type { ConsoleState } from '../../core/state.ts'
import { type LogContents, type LogEntry, type LogLevel, logLevels, type LogsOverlay } from './state.ts'

// The lines of the logs that pass the level, as rows of the screen, and the places among them.

/** The logs, also below a typed line or an opened view. */
export const logsIn = (state: ConsoleState): LogsOverlay | undefined => {
  for (let overlay = state.view.overlay; overlay; overlay = overlay.behind ?? null)
    if (overlay.kind === 'logs') return overlay
  return undefined
}

const badness = (entry: LogEntry): number =>
  entry.trouble
    ? logLevels.indexOf('error')
    : entry.look === 'output'
      ? logLevels.indexOf('info')
      : logLevels.indexOf(entry.look)

/** The lines that pass the level, cached for the same lines. */
const passed = new WeakMap<LogContents['entries'], Map<LogLevel, readonly LogEntry[]>>()

export const shownEntries = ({ entries }: LogContents, level: LogLevel): readonly LogEntry[] => {
  if (level === 'debug') return entries
  const known = passed.get(entries) ?? new Map<LogLevel, readonly LogEntry[]>()
  passed.set(entries, known)
  if (!known.has(level))
    known.set(
      level,
      entries.filter((entry) => badness(entry) >= logLevels.indexOf(level)),
    )
  return known.get(level)!
}

/** Columns before the text: a time, an agent, a level. */
export const leadWidths = (columns: number) => (columns < 80 ? { agent: 9, level: 1 } : { agent: 14, level: 5 })

const textWidth = (columns: number): number => {
  const { agent, level } = leadWidths(columns)
  return Math.max(10, columns - 3 - 9 - 1 - agent - 1 - level - 1)
}

/** The rows of a line. */
export const piecesOf = (entry: LogEntry, wrap: boolean, columns: number): readonly SafeText[] =>
  wrap ? fold(entry.text, textWidth(columns)) : [entry.text]

export interface Spot {
  readonly index: number
  readonly piece: number
}

/** The first visible row when the last is at the bottom. */
export const lastTop = (entries: readonly LogEntry[], height: number, wrap: boolean, columns: number): Spot => {
  let left = height
  for (let index = entries.length - 1; index >= 0; index--) {
    const rows = piecesOf(entries[index]!, wrap, columns).length
    if (rows >= left) return { index, piece: rows - left }
    left -= rows
  }
  return { index: 0, piece: 0 }
}

/** The present beginning of the window. */
export const topOf = (state: ConsoleState, overlay: LogsOverlay, height: number): Spot => {
  const entries = shownEntries(state.logs, overlay.level)
  const end = lastTop(entries, height, overlay.wrap, state.view.size.columns)
  if (overlay.place === null) return end
  const { seq, piece } = overlay.place
  const index = indexOf(entries, seq)
  return isBehind({ index, piece }, end) ? end : { index, piece: entries[index]?.seq === seq ? piece : 0 }
}

export const isBehind = (a: Spot, b: Spot): boolean => a.index > b.index || (a.index === b.index && a.piece > b.piece)

/** The line with this number, or the next remaining one. */
export const indexOf = (entries: readonly LogEntry[], seq: number): number => {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (entries[middle]!.seq < seq) low = middle + 1
    else high = middle
  }
  return low
}
