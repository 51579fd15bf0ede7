import { ours, type SafeText, safeText } from '../../../domain/words/safe-text.ts'
import { cut, fit, fold } from '../../../../components/base/fit.ts'
import type { Line } from '../../../../components/Lines.tsx'
import type { SheetProps } from '../../../../components/Sheet.tsx'
import { topFor } from '../../core/layout.ts'
import { changingView, type ConsoleState } from '../../core/state.ts'
import { paragraph, widthIn } from '../../rows/lines.ts'
import { bare, rowsOf, type SettingRow, type SettingsOverlay } from './settings.ts'
import { rangeText } from '../../../text/panes.ts'
import { settingsText as words } from '../../../text/settings.ts'

/** Lines below the list: an empty one, and what the selected setting means. */
const BELOW = 4

const listHeight = (height: number): number => (height > BELOW + 3 ? height - BELOW : height)

/** The settings with their values and sources, and below them the meaning of the selected one. */
export const settingsWindow = (
  state: ConsoleState,
  overlay: SettingsOverlay,
  height: number,
): Omit<SheetProps, 'width' | 'height'> => {
  const rows = rowsOf(overlay)
  const list = listHeight(height)
  const top = topFor(overlay.top, overlay.at, list, rows.length)
  const seen = rows.slice(top, top + list)
  const lines = seen.map((row, index) => lineOf(state, overlay, row, top + index === overlay.at))
  const selected = rows[overlay.at]
  const range = rows.length > list ? `  ${rangeText(top + 1, top + seen.length, rows.length)}` : ''
  const below = list < height && selected ? meaningOf(state, overlay, selected) : []
  return {
    title: ours(`${words.title(safeText(overlay.now.path), Object.keys(overlay.changes).length)}${range}`),
    lines: [...lines, ...below.slice(0, height - lines.length)],
    top,
    // The border would count the lines of the meaning, which are always visible.
    total: 0,
  }
}

export const moveInSettings = (
  state: ConsoleState,
  overlay: SettingsOverlay,
  by: number,
  height: number,
): ConsoleState => {
  const count = rowsOf(overlay).length
  const at = Math.max(0, Math.min(count - 1, overlay.at + by))
  const top = topFor(overlay.top, at, listHeight(height), count)
  return changingView(() => ({ overlay: { ...overlay, at, top } }))(state)
}

/** Selects the setting on a line; nothing scrolls. */
export const selectSetting = (
  state: ConsoleState,
  overlay: SettingsOverlay,
  line: number,
  height: number,
): ConsoleState => {
  const rows = rowsOf(overlay)
  const top = topFor(overlay.top, overlay.at, listHeight(height), rows.length)
  return line < listHeight(height) && top + line < rows.length
    ? changingView(() => ({ overlay: { ...overlay, at: top + line, top } }))(state)
    : state
}

const NAME = 27

const lineOf = (state: ConsoleState, overlay: SettingsOverlay, row: SettingRow, cursor: boolean): Line => {
  const width = widthIn(state)
  const source = sourceOf(state, overlay, row)
  const room = Math.max(8, width - NAME - 4 - Math.min(28, Math.floor(width / 4)))
  const value = row.shown === '' || row.shown === 'null' ? words.empty : safeText(row.shown)
  const changed = row.change !== undefined
  return {
    text: ours(
      `${changed ? '* ' : '  '}${fit(row.key, NAME)}${fit(cut(value, room - 1), room)} ${cut(source, width - NAME - room - 3)}`,
    ),
    bold: cursor,
    ...(changed ? { colour: 'yellow' as const } : row.now.source === 'default' ? { dim: !cursor } : {}),
    cursor,
  }
}

const sourceOf = ({ preferences }: ConsoleState, { now }: SettingsOverlay, row: SettingRow): SafeText => {
  const { source, line, value } = row.now
  if (row.change !== undefined) return ours(words.unsaved(safeText(value === '' ? words.empty : value)))
  if (row.key === 'console.theme' && preferences.theme.colourless) return ours(words.environment)
  if (row.key === 'console.theme' && value === 'auto' && preferences.theme.wish !== 'auto')
    return ours(words.thisConsole)
  if (line !== null) return ours(words.line(line))
  return ours(
    source === 'branch'
      ? words.sources.branch(safeText(now.target))
      : source === 'found'
        ? words.sources.found
        : words.sources.default,
  )
}

const meaningOf = (state: ConsoleState, { now }: SettingsOverlay, row: SettingRow): readonly Line[] => {
  const width = widthIn(state)
  return [
    { text: ours('') },
    ...(row.now.inFile === undefined
      ? []
      : paragraph(words.inFile(safeText(row.now.inFile), safeText(now.target)), width).map((line): Line => ({
          ...line,
          colour: 'yellow',
        }))),
    ...paragraph(row.meaning.replaceAll('`', ''), width),
    ...fold(ours(words.takes(row.value, bare(row.standard) || words.empty)), width).map((text): Line => ({
      text,
      dim: true,
    })),
  ]
}
