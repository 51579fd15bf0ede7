import { ours, safeText } from '../domain/safe-text.ts'
import type { FooterKey } from '../../components/Footer.tsx'
import type { Line } from '../../components/Lines.tsx'
import type { PaletteRow } from '../../components/Palette.tsx'
import { boundRows } from './comfort/bindings.ts'
import { type Bindings, plainComfort } from './comfort/state.ts'
import type { Desk } from './desk.ts'
import { type KeyRow, keyRows } from './keys.ts'
import { modes, modeTitles } from './modes.ts'
import { close } from './overlays.ts'
import { chooseCommand } from './palette/presses.ts'
import { commandRow, type Offer, offersOf, pastOf } from './palette/rows.ts'
import { type ConsoleState, type Mode, modeOf } from './state.ts'
import type { Stroke } from './strokes.ts'

// What is made from the rows of keys.ts, with the keys that the configuration gives them.

const rowsOf = ({ comfort }: Pick<ConsoleState, 'comfort'>): readonly KeyRow[] => boundRows(keyRows, comfort.bindings)

export const rowFor = (state: Pick<ConsoleState, 'comfort'>, mode: Mode, stroke: Stroke): KeyRow | undefined =>
  rowsOf(state).find((row) => row.modes.includes(mode) && row.keys.includes(stroke))

/** How the key of a row is written, for sentences that name it. */
export const shownKey = (state: Pick<ConsoleState, 'comfort'>, id: string): string => rowsOf(state).find((row) => row.id === id)?.shown ?? ''

/** Does what a key says, or tells why not. */
export const pressRow = (desk: Desk, row: KeyRow): void => {
  const why = row.blocked?.(desk.state())
  if (why === undefined) row.press(desk)
  else desk.tell(why, 'refused')
}

/** The keys of the mode that stand in the footer, its own before those of others, else in the order of the table; quitting stands apart. */
export const footerOf = (state: ConsoleState): { keys: readonly FooterKey[]; last: FooterKey | null } => {
  const { rows, last } = footerRows(state)
  const keyOf = (row: KeyRow): FooterKey => ({ keys: row.shown, label: row.label, blocked: row.blocked?.(state) !== undefined })
  return { keys: rows.map(keyOf), last: last ? keyOf(last) : null }
}

/** As `footerOf`, the rows themselves: what a click on a label presses. */
export const footerRows = (state: ConsoleState): { readonly rows: readonly KeyRow[]; readonly last: KeyRow | null } => {
  const mode = modeOf(state)
  const all = rowsOf(state).filter((row) => row.footer && row.modes.includes(mode))
  const rows = [...all.filter((row) => row.modes[0] === mode), ...all.filter((row) => row.modes[0] !== mode)]
  const last = rows.find((row) => row.label === 'quit') ?? null
  return { rows: rows.filter((row) => row !== last), last }
}

/** Every row once that has all the words, under the first of its modes. */
export const helpLines = (bindings: Bindings = plainComfort.bindings, sought = ''): readonly Line[] => {
  const words = sought.toLowerCase().split(/\s+/)
  const found = boundRows(keyRows, bindings).filter((row) => words.every((word) => textOf(row).includes(word)))
  if (found.length === 0) return [{ text: ours('No key has all these words.'), dim: true }]
  return modes.flatMap((mode): readonly Line[] => {
    const rows = found.filter((row) => row.modes[0] === mode)
    if (rows.length === 0) return []
    return [{ text: ours(modeTitles[mode]), bold: true, colour: 'cyan' }, ...rows.map((row) => ({ text: ours(`  ${row.shown.padEnd(13)}${row.help}`) })), { text: ours('') }]
  })
}

const textOf = ({ id, shown, label, help }: KeyRow): string => `${id} ${shown} ${label} ${help}`.toLowerCase()

export const helpLength = (bindings?: Bindings, sought?: string): number => helpLines(bindings, sought).length

/** The commands that have the letters that were typed, with why they cannot be done now. */
export const paletteOf = (state: ConsoleState, typed: string): readonly PaletteRow[] =>
  offersFor(state, typed).map((offer) => {
    if (offer.kind !== 'key') return commandRow(offer)
    const { row } = offer
    const why = row.blocked?.(beneath(state))
    return { keys: row.shown, help: `${row.label} · ${row.help}`, blocked: why === undefined ? null : safeText(why) }
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
  if (!offer) return desk.tell('No command has these letters.', 'refused')
  if (offer.kind !== 'key') return chooseCommand(desk, offer.command, offer.kind === 'past' ? offer.past.values : undefined)
  const { row } = offer
  desk.change(close)
  if (row.modes.includes(modeOf(desk.state()))) pressRow(desk, row)
  else desk.tell(`That works on the panes; esc goes back to them.`, 'refused')
}

/** The table of the README. */
export const keyTableMarkdown = (): string => {
  const rows = keyRows.filter(
    (row) =>
      row.modes.includes('list') ||
      row.modes.includes('approval') ||
      row.modes.includes('request') ||
      row.modes.includes('inbox') ||
      row.modes.includes('memory') ||
      row.modes.includes('confirm'),
  )
  return [
    '| key | name | does | where |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row.keys.map((key) => `\`${key}\``).join(' ')} | ${row.id} | ${row.help} | ${row.modes.join(', ')} |`),
  ].join('\n')
}

const offersFor = (state: ConsoleState, typed: string): readonly Offer[] =>
  offersOf(
    state,
    rowsOf(state).filter((row) => row.modes.includes('list')),
    typed,
  )

/** The state as it is under the palette. */
const beneath = (state: ConsoleState): ConsoleState => ({ ...state, view: { ...state.view, overlay: state.view.overlay?.behind ?? null } })
