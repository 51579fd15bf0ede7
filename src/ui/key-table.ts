import { ours, safeText } from '../domain/safe-text.ts'
import type { FooterKey } from '../../components/Footer.tsx'
import type { Line } from '../../components/Lines.tsx'
import type { PaletteRow } from '../../components/Palette.tsx'
import { fold } from '../../components/fit.ts'
import { boundRows } from './comfort/bindings.ts'
import { type Bindings, plainComfort } from './comfort/state.ts'
import { needsLeader } from './comfort/strict.ts'
import type { Desk } from './desk.ts'
import { keyed, nameKeysBy, shownKey } from './key-names.ts'
import { type KeyRow, keyRows } from './keys.ts'
import { modes, modeTitles } from './modes.ts'
import { close } from './overlays.ts'
import { chooseCommand } from './palette/presses.ts'
import { commandRow, type Offer, offersOf, pastOf } from './palette/rows.ts'
import { type ConsoleState, type Mode, modeOf } from './state.ts'
import type { Stroke } from './strokes.ts'
import { helpText, paletteText } from '../text/palette.ts'

// What is made from the rows of keys.ts, with the keys that the configuration gives them.

const rowsOf = ({ comfort }: Pick<ConsoleState, 'comfort'>): readonly KeyRow[] => boundRows(keyRows, comfort.bindings)

export const rowFor = (state: Pick<ConsoleState, 'comfort'>, mode: Mode, stroke: Stroke): KeyRow | undefined =>
  rowsOf(state).find((row) => row.modes.includes(mode) && row.keys.includes(stroke))

/** The row of a mode whose key is written so. */
export const rowWritten = (state: Pick<ConsoleState, 'comfort'>, mode: Mode, key: string): KeyRow | undefined =>
  rowsOf(state).find((row) => row.modes.includes(mode) && row.shown.split(' ').includes(key))

nameKeysBy(() => keyRows)
export { keyed, shownKey }

/** Does what a key says, or tells why not. */
export const pressRow = (desk: Desk, row: KeyRow, stroke?: Stroke): void => {
  const why = row.blocked?.(desk.state())
  if (why === undefined) row.press(desk, stroke)
  else desk.tell(keyed(desk.state(), why), 'refused')
}

/** The keys of the mode that stand in the footer, its own before those of others, else in the order of the table; the way out stands apart: from the panes it is quitting. */
export const footerOf = (state: ConsoleState): { keys: readonly FooterKey[]; last: FooterKey | null } => {
  const { rows, last } = footerRows(state)
  const keyOf = (row: KeyRow): FooterKey => ({
    keys: ours(row.shown),
    label: ours(row.labelNow?.(state) ?? row.label),
    blocked: row.blocked?.(state) !== undefined,
    ...(row.id === 'help' ? { stays: true } : {}),
  })
  return { keys: rows.map(keyOf), last: last ? keyOf(last) : null }
}

/** As `footerOf`, the rows themselves: what a click on a label presses. */
export const footerRows = (state: ConsoleState): { readonly rows: readonly KeyRow[]; readonly last: KeyRow | null } => {
  const mode = modeOf(state)
  const here = rowsOf(state).filter((row) => row.modes.includes(mode))
  const all = here.filter((row) => row.footer && row.id !== 'quit')
  const [own, others] = [all.filter((row) => row.modes[0] === mode), all.filter((row) => row.modes[0] !== mode)]
  // There they are the answers to what is asked: on a narrow screen those that answer it are seen.
  const rows = [...(mode === 'inbox' || mode === 'request' ? [...own.filter((row) => !isBlocked(state, row)), ...own.filter((row) => isBlocked(state, row))] : own), ...others]
  return { rows, last: here.find((row) => row.id === (mode === 'list' ? 'quit' : 'back')) ?? null }
}

const isBlocked = (state: ConsoleState, row: KeyRow): boolean => row.blocked?.(state) !== undefined

/** Every row once that has all the words, under the first of its modes, in lines of at most so many columns; the keys of the mode in which one asks come first. */
export const helpLines = (bindings: Bindings = plainComfort.bindings, sought = '', width = Infinity, asking: Mode = 'list'): readonly Line[] => {
  const words = sought.toLowerCase().split(/\s+/)
  const found = boundRows(keyRows, bindings).filter((row) => words.every((word) => textOf(row).includes(word)))
  if (found.length === 0) return [{ text: ours(helpText.noKey), dim: true }]
  return [asking, ...modes.filter((mode) => mode !== asking)].flatMap((mode): readonly Line[] => {
    const rows = found.filter((row) => row.modes[0] === mode)
    if (rows.length === 0) return []
    return [{ text: ours(modeTitles[mode]), bold: true, colour: 'cyan' }, ...rows.flatMap((row) => helpOf(row, width, sought.trim() !== '')), { text: ours('') }]
  })
}

/** Its name for the configuration stands behind it where something is looked for; the whole table would take many more lines by it. */
const helpOf = ({ id, shown, help }: KeyRow, width: number, named: boolean): readonly Line[] =>
  fold(ours(named ? helpText.named(help, id) : help), Math.max(20, width - HELP_AT)).map((line, at) => ({
    text: ours(`${at === 0 ? `  ${shown.padEnd(HELP_AT - 2)}` : ' '.repeat(HELP_AT)}${line}`),
  }))

/** The column in which the sentences of the help begin. */
const HELP_AT = 15

const textOf = ({ id, shown, label, help }: KeyRow): string => `${id} ${shown} ${label} ${help}`.toLowerCase()

/** The commands that have the letters that were typed, with why they cannot be done now. */
export const paletteOf = (state: ConsoleState, typed: string): readonly PaletteRow[] =>
  offersFor(state, typed).map((offer) => {
    if (offer.kind !== 'key') return commandRow(offer)
    const { row } = offer
    const why = row.blocked?.(beneath(state))
    return { keys: ours(row.shown), help: ours(`${row.label} · ${row.help}`), blocked: why === undefined ? null : safeText(keyed(state, why)) }
  })

/** The rows of the palette and which is marked; above its first command stand the lines of earlier times. */
export const pickedIn = (state: ConsoleState, { text, at }: { readonly text: string; readonly at: number }): { readonly rows: readonly PaletteRow[]; readonly at: number } => {
  const rows = at < 0 ? pastOf(state).map((offer) => commandRow(offer as Exclude<Offer, { kind: 'key' }>)) : paletteOf(state, text)
  return { rows, at: Math.max(0, Math.min(at < 0 ? -at - 1 : at, rows.length - 1)) }
}

/** Enter in the palette does what the command's own key would do, or asks for the words of a command that has none. */
export const runPicked = (desk: Desk): void => {
  const { overlay } = desk.state().view
  if (overlay?.kind !== 'palette') return
  const { at, text } = overlay
  const offers = at < 0 ? pastOf(desk.state()) : offersFor(desk.state(), text)
  const offer = offers[Math.min(at < 0 ? -at - 1 : at, offers.length - 1)]
  if (!offer) return desk.tell(paletteText.noneToRun, 'refused')
  if (offer.kind !== 'key') return chooseCommand(desk, offer.command, offer.kind === 'past' ? offer.past.values : undefined)
  const { row } = offer
  desk.change(close)
  if (needsLeader(desk, row)) return
  if (row.modes.includes(modeOf(desk.state()))) pressRow(desk, row)
  else desk.tell(paletteText.worksOnPanes, 'refused')
}

/** The table of the README: every row. */
export const keyTableMarkdown = (): string =>
  [
    '| key | name | does | where |',
    '|---|---|---|---|',
    ...keyRows.map((row) => `| ${row.keys.map((key) => `\`${written(key)}\``).join(' ')} | ${row.id} | ${row.help} | ${row.modes.join(', ')} |`),
  ].join('\n')

const written = (key: Stroke): string => (key === ' ' ? 'space' : key)

/** First what can be done where the palette was opened; a key that answers a question for good is pressed, not looked for. */
const offersFor = (state: ConsoleState, typed: string): readonly Offer[] => {
  const mode = modeOf(beneath(state))
  const [here, elsewhere] = [rowsOf(state).filter((row) => !row.answers && row.modes.includes(mode)), rowsOf(state).filter((row) => row.modes.includes('list'))]
  return offersOf(state, [...here, ...elsewhere.filter((row) => !here.includes(row))], typed)
}

/** The state as it is under the palette. */
const beneath = (state: ConsoleState): ConsoleState => ({ ...state, view: { ...state.view, overlay: state.view.overlay?.behind ?? null } })
