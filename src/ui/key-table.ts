import { ours, safeText } from '../domain/safe-text.ts'
import type { FooterKey } from '../../components/Footer.tsx'
import type { Line } from '../../components/Lines.tsx'
import type { PaletteRow } from '../../components/Palette.tsx'
import type { Desk } from './desk.ts'
import { type KeyRow, keyRows } from './keys.ts'
import { close } from './overlays.ts'
import { type ConsoleState, type Mode, modeOf } from './state.ts'
import type { Stroke } from './strokes.ts'

// What is made from the rows of keys.ts.

export const rowFor = (mode: Mode, stroke: Stroke): KeyRow | undefined => keyRows.find((row) => row.modes.includes(mode) && row.keys.includes(stroke))

/** Does what a key says, or tells why not. */
export const pressRow = (desk: Desk, row: KeyRow): void => {
  const why = row.blocked?.(desk.state())
  if (why === undefined) row.press(desk)
  else desk.tell(why, 'refused')
}

/** The keys of the mode that stand in the footer, its own before those of others, else in the order of the table; quitting stands apart. */
export const footerOf = (state: ConsoleState): { keys: readonly FooterKey[]; last: FooterKey | null } => {
  const mode = modeOf(state)
  const all = keyRows.filter((row) => row.footer && row.modes.includes(mode))
  const rows = [...all.filter((row) => row.modes[0] === mode), ...all.filter((row) => row.modes[0] !== mode)]
  const keys = rows.map((row) => ({ keys: row.shown, label: row.label, blocked: row.blocked?.(state) !== undefined }))
  const last = keys.find((key) => key.label === 'quit') ?? null
  return { keys: keys.filter((key) => key !== last), last }
}

const titles: Record<Mode, string> = {
  list: 'On the panes',
  detail: 'When something is open',
  approval: 'Before an integration',
  search: 'When looking for words in a diff',
  verification: 'In the output of a verification',
  request: 'When an agent asks',
  radar: 'In the conflict radar',
  guard: 'When the configuration has changed',
  commands: 'In the git commands',
  memory: 'In the memories',
  'memory-search': 'When looking for words in the memories',
  record: 'In what is remembered',
  confirm: 'When asked',
  help: 'In this help',
  palette: 'Among the commands',
  filter: 'In the filter',
  form: 'In a form',
}

/** Every row once, under the first of its modes. */
export const helpLines = (): readonly Line[] =>
  (Object.keys(titles) as Mode[]).flatMap((mode) => {
    const rows = keyRows.filter((row) => row.modes[0] === mode)
    if (rows.length === 0) return []
    return [{ text: ours(titles[mode]), bold: true, colour: 'cyan' }, ...rows.map((row) => ({ text: ours(`  ${row.shown.padEnd(13)}${row.help}`) })), { text: ours('') }]
  })

export const helpLength = (): number => helpLines().length

/** The commands that have the letters that were typed, with why they cannot be done now. */
export const paletteOf = (state: ConsoleState, typed: string): readonly PaletteRow[] =>
  commandsWith(typed).map((row) => {
    const why = row.blocked?.(beneath(state))
    return { keys: row.shown, help: `${row.label} · ${row.help}`, blocked: why === undefined ? null : safeText(why) }
  })

/** Enter in the palette does what the command's own key would do. */
export const runPicked = (desk: Desk): void => {
  const { overlay } = desk.state().view
  if (overlay?.kind !== 'palette') return
  const rows = commandsWith(overlay.text)
  const row = rows[Math.min(overlay.at, rows.length - 1)]
  if (!row) return desk.tell('No command has these letters.', 'refused')
  desk.change(close)
  if (row.modes.includes(modeOf(desk.state()))) pressRow(desk, row)
  else desk.tell(`That works on the panes; esc goes back to them.`, 'refused')
}

/** The table of the README. */
export const keyTableMarkdown = (): string => {
  const rows = keyRows.filter(
    (row) => row.modes.includes('list') || row.modes.includes('approval') || row.modes.includes('request') || row.modes.includes('memory') || row.modes.includes('confirm'),
  )
  return ['| key | does | where |', '|---|---|---|', ...rows.map((row) => `| ${row.keys.map((key) => `\`${key}\``).join(' ')} | ${row.help} | ${row.modes.join(', ')} |`)].join(
    '\n',
  )
}

const commandsWith = (typed: string): readonly KeyRow[] => {
  const words = typed.toLowerCase().split(/\s+/)
  return keyRows.filter((row) => row.modes.includes('list') && words.every((word) => `${row.id} ${row.label} ${row.help}`.toLowerCase().includes(word)))
}

/** The state as it is under the palette. */
const beneath = (state: ConsoleState): ConsoleState => ({ ...state, view: { ...state.view, overlay: state.view.overlay?.behind ?? null } })
