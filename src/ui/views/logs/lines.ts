import type { Line } from '../../../../components/Lines.tsx'
import { fit, fold } from '../../../../components/base/fit.ts'
import { type LogLook, logLooks } from '../../../../components/base/look.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { logText } from '../../../text/history.ts'
import { paneText } from '../../../text/panes.ts'
import type { ConsoleState } from '../../core/state.ts'
import { placesOf } from '../../rows/lines.ts'

// The merged logs of all agents: notes and processes' output, by time.

/** One line. `seq` increases with every line. */
export interface LogEntry {
  readonly seq: number
  /**
   * Clock time. Output has none of its own: it gets the time at which it was read, or, with ~, that of its file's last
   * write.
   */
  readonly time: SafeText
  readonly agent: SafeText
  readonly look: LogLook
  /** True for an error, or output that looks like one. */
  readonly trouble: boolean
  readonly text: SafeText
}

export interface LogContents {
  readonly entries: readonly LogEntry[]
  /** The number of dropped lines. */
  readonly dropped: number
}

/** The minimum level. Output counts as information unless it looks like an error. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export interface LogsOverlay {
  readonly kind: 'logs'
  /** The line at the top, and the number of its rows above the edge; null while the end is followed. */
  readonly place: { readonly seq: number; readonly piece: number } | null
  readonly level: LogLevel
  readonly wrap: boolean
  readonly sought: string
  /** The last search result. */
  readonly found: number | null
}

export interface LogSearchOverlay {
  readonly kind: 'log-search'
  readonly text: string
}

export const emptyLogs: LogContents = { entries: [], dropped: 0 }

export const followingLogs: LogsOverlay = {
  kind: 'logs',
  place: null,
  level: 'debug',
  wrap: false,
  sought: '',
  found: null,
}

// Determines the visible lines of the logs. A row is created when it becomes visible.

export const logsWindow = (
  state: ConsoleState,
  overlay: LogsOverlay,
  height: number,
): { title: SafeText; lines: readonly Line[]; top: number; total: number } => {
  const entries = shownEntries(state.logs, overlay.level)
  const { columns } = state.view.size
  const top = topOf(state, overlay, height)
  const lines: Line[] = []
  for (let index = top.index; index < entries.length && lines.length < height; index++) {
    const pieces = piecesOf(entries[index]!, overlay.wrap, columns)
    for (let piece = index === top.index ? top.piece : 0; piece < pieces.length && lines.length < height; piece++) {
      lines.push(lineOf(entries[index]!, pieces[piece]!, piece, overlay, columns))
    }
  }
  if (entries.length === 0)
    lines.push({ text: ours(state.logs.entries.length === 0 ? paneText.noLog : logText.nothingThatBad), dim: true })
  return { title: titleOf(state, overlay), lines, top: top.index, total: entries.length }
}

/** Lines of the logs; of long ones as many as the body has. */
export const logsHeight = (state: ConsoleState, overlay: LogsOverlay, body: number): number => {
  const entries = shownEntries(state.logs, overlay.level)
  if (entries.length >= body) return body
  const { columns } = state.view.size
  return Math.max(
    1,
    entries.reduce((sum, entry) => sum + piecesOf(entry, overlay.wrap, columns).length, 0),
  )
}

const titleOf = ({ logs }: ConsoleState, { place, level, wrap, sought }: LogsOverlay): SafeText =>
  ours(
    [
      logText.title,
      place === null ? paneText.following : paneText.held,
      ...(level === 'debug' ? [] : [level === 'error' ? logText.errorsOnly : logText.andWorse(level)]),
      ...(wrap ? [logText.wrapped] : []),
      ...(sought === '' ? [] : [`/${safeText(sought)}`]),
      ...(logs.dropped > 0 ? [logText.dropped(logs.dropped)] : []),
    ].join('  '),
  )

const lineOf = (
  entry: LogEntry,
  text: SafeText,
  piece: number,
  { sought, found }: LogsOverlay,
  columns: number,
): Line => {
  const widths = leadWidths(columns)
  const look = entry.trouble ? logLooks.error : logLooks[entry.look]
  const level = columns < 80 ? look.mark : entry.look === 'output' ? '' : look.word
  const lead =
    piece === 0
      ? `${fit(entry.time, 9, 'right')} ${fit(ending(entry.agent, widths.agent), widths.agent)} ${fit(level, widths.level)} `
      : ' '.repeat(9 + 1 + widths.agent + 1 + widths.level + 1)
  return {
    text,
    theirs: true,
    lead: ours(lead),
    marks: placesOf(text, sought),
    cursor: entry.seq === found && piece === 0,
    ...(look.colour === undefined || look === logLooks.info ? {} : { colour: look.colour }),
    ...(entry.look === 'debug' ? { dim: true } : {}),
  }
}

/** The end of a name distinguishes agents. */
const ending = (name: string, width: number): string => (name.length > width ? `…${name.slice(1 - width)}` : name)

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
const leadWidths = (columns: number) => (columns < 80 ? { agent: 9, level: 1 } : { agent: 14, level: 5 })

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
