import { paletteLines } from '../../../../components/lines/palette.ts'
import type { ConsoleCommand } from '../../../contracts/console.ts'
import { fold } from '../../../../components/base/fit.ts'
import { modeText } from '../../../text/keys.ts'
import { columnsOver, heightIn, open, sheetOfLines } from '../../core/overlays.ts'
import { by, type DrawnView, type ReadView, type Step } from '../../core/registry.ts'
import { type Kept, nothingKept } from '../../core/console-memory.ts'
import { widthIn } from '../../rows/lines.ts'
import { pick, pickedIn, runPicked } from './palette.ts'
import type { AnswerOverlay } from './commands.ts'
import { changingView } from '../../core/state.ts'

/** Commands are found by some of their letters; earlier command lines precede the first, at -1, -2, … */
export interface PaletteOverlay {
  readonly kind: 'palette'
  readonly text: string
  readonly at: number
}

export interface PaletteContents {
  /** Commands of the command line in the palette. */
  readonly commands: readonly ConsoleCommand[]
  /** The saved state of earlier consoles. */
  readonly kept: Kept
}

const selectCommand: Step<PaletteOverlay, [line: number]> = (state, overlay, line) => {
  const { rows, at } = pickedIn(state, overlay)
  const { from, seen } = paletteLines(rows, at, columnsOver(state, overlay), heightIn(state, overlay) - 3)
  const row = from + line - 1
  // Earlier command lines have negative indexes.
  return line < 1 || line > seen || row >= rows.length ? state : mark(state, overlay, overlay.at < 0 ? -row - 1 : row)
}

/** The wheel selects commands if there is nothing to scroll. */
const turnCommands: Step<PaletteOverlay, [lines: number]> = (state, overlay, lines) => {
  if (overlay.at < 0) return pick(lines < 0 ? -1 : 1)(state)
  const { rows, at } = pickedIn(state, overlay)
  return mark(state, overlay, Math.max(0, Math.min(rows.length - 1, at + lines)))
}

const mark: Step<PaletteOverlay, [at: number]> = (state, overlay, at) =>
  changingView(() => ({ overlay: { ...overlay, at } }))(state)

// prettier-ignore
export const palette: DrawnView<PaletteOverlay, PaletteContents> = {
  kind: 'palette',
  title: modeText.palette,
  manner: 'typing',
  shares: [{ id: 'palette', keys: [':'], shown: ':', manners: ['reading'], footer: true, press: by(open({ kind: 'palette', text: '', at: 0 })) }],
  keys: [
    { id: 'run', keys: ['enter'], shown: 'enter', footer: true, press: runPicked },
    { id: 'next-command', keys: ['down', 'tab'], shown: '↓', footer: true, press: by(pick(1)) },
    { id: 'previous-command', keys: ['up', 'shift-tab'], shown: '↑', footer: true, press: by(pick(-1)) },
  ],
  empty: { commands: [], kept: nothingKept },
  drawn: true,
  dialog: 'wide',
  lines: () => 13,
  notice: (_, body) => (body < 10 ? 2 : 3),
  edit: (_, overlay, edit) => ({ overlay: { ...overlay, text: edit(overlay.text), at: 0 } }),
  click: selectCommand,
  wheel: turnCommands,
}

/** A command's output of several lines. */
export const answer: ReadView<AnswerOverlay> = {
  kind: 'answer',
  title: modeText.answer,
  manner: 'reading',
  keys: [],
  also: ['close'],
  without: ['help'],
  empty: {},
  dialog: true,
  content: (state, { title, lines }) =>
    sheetOfLines(
      title,
      lines.flatMap((line) => fold(line, widthIn(state)).map((text) => ({ text }))),
    ),
  click: null,
}
