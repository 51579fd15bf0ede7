import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import type { FooterKey } from '../../../components/Footer.tsx'
import type { Line } from '../../../components/Lines.tsx'
import { fold } from '../../../components/base/fit.ts'
import { boundRows } from './bindings.ts'
import { type Bindings, plainPreferences } from '../core/preferences.ts'
import type { Controller } from '../core/controller.ts'
import { type ConsoleState, type Mode, modeOf } from '../core/state.ts'
import type { Stroke } from './strokes.ts'
import { whyClosed } from './closed.ts'
import { keyed } from './names.ts'
import type { KeyRow } from './row.ts'
import type { ConsoleTable } from './table.ts'
import { wordsFor } from '../../text/palette.ts'
import { helpText } from '../../text/keys.ts'

// Derives output from the rows of the table, with the configured bindings.

type Bound = Pick<ConsoleState, 'preferences' | 'table'>

export const boundRowsOf = ({ preferences, table }: Bound): readonly KeyRow[] =>
  boundRows(table.rows, preferences.bindings)

export const rowFor = (state: Bound, mode: Mode, stroke: Stroke): KeyRow | undefined =>
  rowsOf(boundRowsOf(state), mode).find((row) => row.keys.includes(stroke))

/** The row of a mode with this key notation. */
export const rowWritten = (state: Bound, mode: Mode, key: string): KeyRow | undefined =>
  rowsOf(boundRowsOf(state), mode).find((row) => row.shown.split(' ').includes(key))

/** Why a key is unavailable; undefined if it works. */
export const whyNotPress = (state: ConsoleState, row: KeyRow): string | undefined =>
  (row.writes ? whyClosed(state) : undefined) ?? row.blocked?.(state)

/** Runs a key, or shows why it is unavailable. */
export const pressRow = (controller: Controller, row: KeyRow, stroke?: Stroke): void => {
  const why = whyNotPress(controller.state(), row)
  if (why === undefined) row.press(controller, stroke)
  else controller.tell(keyed(controller.state(), why), 'refused')
}

/**
 * The keys of the mode in the footer, its own before shared ones, otherwise in the order of the table; the key for
 * leaving is separate: on the panes it is quitting.
 */
export const footerOf = (state: ConsoleState): { keys: readonly FooterKey[]; last: FooterKey | null } => {
  const { rows, last } = footerRows(state)
  const keyOf = (row: KeyRow): FooterKey => ({
    keys: ours(row.shown),
    label: ours(row.labelNow?.(state) ?? row.label),
    blocked: isBlocked(state, row),
    ...(row.id in ALWAYS ? { staysFrom: ALWAYS[row.id as keyof typeof ALWAYS] } : {}),
  })
  return { keys: rows.map(keyOf), last: last ? keyOf(last) : null }
}

/** The keys that lead to all others, with the columns from which they have room beside the first keys of every view. */
const ALWAYS = { help: 0, palette: 80 } as const

/** As `footerOf`, the rows themselves, for clicks on a label. */
export const footerRows = (state: ConsoleState): { readonly rows: readonly KeyRow[]; readonly last: KeyRow | null } => {
  const mode = modeOf(state)
  const here = rowsOf(boundRowsOf(state), mode)
  const all = here.filter((row) => row.footer && row.id !== 'quit' && !isAbsent(state, row))
  const [own, others] = [all.filter((row) => row.modes[0] === mode), all.filter((row) => row.modes[0] !== mode)]
  // On a narrow screen the available answers come first.
  const rows = [
    ...(state.table.views[mode]?.readyFirst
      ? [...own.filter((row) => !isBlocked(state, row)), ...own.filter((row) => isBlocked(state, row))]
      : own),
    ...others,
  ]
  return { rows, last: here.find((row) => row.id === (mode === 'list' ? 'quit' : 'back')) ?? null }
}

/** True if the key will not work as long as this remains as it is; one that the selection decides is dimmed instead. */
const isAbsent = (state: ConsoleState, row: KeyRow): boolean =>
  row.absent?.(state) === true || (row.writes === true && whyClosed(state) !== undefined)

/** The rows of a mode; looked for once, since every key asks for them. */
const rowsOf = (rows: readonly KeyRow[], mode: Mode): readonly KeyRow[] => {
  const known = byMode.get(rows) ?? new Map<Mode, readonly KeyRow[]>()
  byMode.set(rows, known)
  const found = known.get(mode) ?? rows.filter((row) => row.modes.includes(mode))
  known.set(mode, found)
  return found
}

const byMode = new WeakMap<readonly KeyRow[], Map<Mode, readonly KeyRow[]>>()

const isBlocked = (state: ConsoleState, row: KeyRow): boolean => whyNotPress(state, row) !== undefined

/**
 * Every row with all the words, once, under the first of its modes, in lines of at most so many columns; the keys of
 * the present mode come first.
 */
export const helpLines = (
  { rows: all, modes }: ConsoleTable,
  bindings: Bindings = plainPreferences.bindings,
  sought = '',
  width = Infinity,
  asking: Mode = 'list',
): readonly Line[] => {
  const words = sought.toLowerCase().split(/\s+/).map(wordsFor)
  const found = boundRows(all, bindings).filter((row) =>
    words.every((alternatives) => alternatives.some((word) => textOf(row).includes(word))),
  )
  if (found.length === 0) return [{ text: ours(helpText.noKey), dim: true }]
  return [...modes.filter(({ mode }) => mode === asking), ...modes.filter(({ mode }) => mode !== asking)].flatMap(
    ({ mode, title }): readonly Line[] => {
      const rows = found.filter((row) => row.modes[0] === mode)
      if (rows.length === 0) return []
      return [
        { text: ours(title), bold: true, colour: 'cyan' },
        ...rows.flatMap((row) => helpOf(row, width, sought.trim() !== '')),
        { text: ours('') },
      ]
    },
  )
}

/** A search shows the row's configuration name too; in the whole table it would take many more lines. */
const helpOf = ({ id, shown, help }: KeyRow, width: number, named: boolean): readonly Line[] =>
  helpRow(`  ${shown}`, ours(named ? helpText.named(help, id) : help), width < NARROW ? NARROW_AT : HELP_AT, width)

/** A long key has a line of its own. */
const helpRow = (key: string, help: SafeText, from: number, width: number): readonly Line[] => {
  const isLong = key.length >= from
  const lines = fold(help, Math.max(20, width - from)).map((line, at) =>
    ours(`${at === 0 && !isLong ? key.padEnd(from) : ' '.repeat(from)}${line}`),
  )
  return [...(isLong ? [ours(key)] : []), ...lines].map((text) => ({ text }))
}

/** The column in which the sentences of the help begin, and on a screen of fewer columns than this. */
const [HELP_AT, NARROW_AT, NARROW] = [15, 9, 60] as const

const textOf = ({ id, shown, label, help }: KeyRow): string => `${id} ${shown} ${label} ${help}`.toLowerCase()
