import { ours, type SafeText, safeText } from '../../../domain/words/safe-text.ts'
import { fit } from '../../../../components/base/fit.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { logLooks } from '../../../../components/base/look.ts'
import type { ConsoleState } from '../../core/state.ts'
import { placesOf } from '../../rows/lines.ts'
import { leadWidths, piecesOf, shownEntries, topOf } from './rows.ts'
import type { LogEntry, LogsOverlay } from './state.ts'
import { logText } from '../../../text/history.ts'
import { paneText } from '../../../text/panes.ts'

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
