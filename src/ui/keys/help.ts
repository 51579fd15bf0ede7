import type { FooterKey } from '../../../components/Footer.tsx'
import type { Line } from '../../../components/Lines.tsx'
import { fold } from '../../../components/base/fit.ts'
import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import { helpText } from '../../text/keys.ts'
import { wordsFor } from '../../text/palette.ts'
import { consoleText } from '../../text/panes.ts'
import { viewOf } from '../core/overlays.ts'
import type { ConsoleTable, KeyRow } from '../core/registry.ts'
import { type Bindings, type ConsoleState, type Mode, modeOf, type Overlay, plainPreferences } from '../core/state.ts'
import { boundRows } from './bindings.ts'
import { boundRowsOf, rowsOf, whyClosed, whyNotPress } from './dispatch.ts'

// The keys as a person reads them: in the footer, in the line below a view, and in the help.

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

interface Answer {
  /** The effects of the keys. */
  readonly line: SafeText
  /** Whether they are available. */
  readonly ready: boolean
}

/** The line below a view with the effects of its keys; undefined if it has none. */
export const answerOf = (state: ConsoleState, overlay: Overlay): Answer | undefined => {
  const { answer, keys } = viewOf(state, overlay)
  if (answer === undefined) return undefined
  if (whyClosed(state) !== undefined && keys.some(({ writes }) => writes))
    return { line: ours(consoleText.takesNoWrites), ready: false }
  return { line: answer.line(state, overlay), ready: answer.ready(state, overlay) }
}
