import type { PaletteRow } from '../../../../components/lines/palette.ts'
import type { ConsoleCommand } from '../../../contracts/console.ts'
import { fuzzyScore } from '../../../domain/words/fuzzy-score.ts'
import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { shellLine } from '../../../domain/words/shell-words.ts'
import { paletteText, wordsFor } from '../../../text/palette.ts'
import type { KeptCommand } from '../../core/console-memory.ts'
import type { Controller } from '../../core/controller.ts'
import { close } from '../../core/overlays.ts'
import type { KeyRow } from '../../core/registry.ts'
import { changingView, type ConsoleState, modeOf, type Transition } from '../../core/state.ts'
import { keyed } from '../../keys/bindings.ts'
import { boundRowsOf, needsLeader, pressRow, whyClosed, whyNotPress } from '../../keys/dispatch.ts'
import { chooseCommand } from './commands.ts'

// The offers of the palette, and the selected one.

/** Selects the next or previous command; earlier command lines precede the first. */
export const pick = (by: 1 | -1): Transition =>
  changingView(({ overlay }, state) =>
    overlay?.kind === 'palette'
      ? { overlay: { ...overlay, at: Math.max(-pastOf(state).length, overlay.at + by) } }
      : {},
  )

/** The commands that match the typed letters, with the reasons why they are unavailable. */
export const paletteOf = (state: ConsoleState, typed: string): readonly PaletteRow[] =>
  offersFor(state, typed).map((offer) => {
    if (offer.kind !== 'key') return commandRow(offer)
    const { row } = offer
    const why = whyNotPress(beneath(state), row)
    return {
      keys: ours(row.shown),
      help: ours(`${row.label} · ${row.help}`),
      blocked: why === undefined ? null : safeText(keyed(state, why)),
    }
  })

/** The rows of the palette and the selected one; earlier command lines are above the first command. */
export const pickedIn = (
  state: ConsoleState,
  { text, at }: { readonly text: string; readonly at: number },
): { readonly rows: readonly PaletteRow[]; readonly at: number } => {
  const rows =
    at < 0 ? pastOf(state).map((offer) => commandRow(offer as Exclude<Offer, { kind: 'key' }>)) : paletteOf(state, text)
  return { rows, at: Math.max(0, Math.min(at < 0 ? -at - 1 : at, rows.length - 1)) }
}

/** Enter in the palette runs the key of the command, or asks for the words of a command without a key. */
export const runPicked = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'palette') return
  const { at, text } = overlay
  const offers = at < 0 ? pastOf(controller.state()) : offersFor(controller.state(), text)
  const offer = offers[Math.min(at < 0 ? -at - 1 : at, offers.length - 1)]
  if (!offer) return controller.tell(paletteText.noneToRun, 'refused')
  if (offer.kind !== 'key')
    return chooseCommand(controller, offer.command, offer.kind === 'past' ? offer.past.values : undefined)
  const { row } = offer
  controller.change(close)
  if (needsLeader(controller, row)) return
  if (row.modes.includes(modeOf(controller.state()))) pressRow(controller, row)
  else controller.tell(paletteText.worksOnPanes, 'refused')
}

/**
 * Commands that are available where the palette was opened come first, and on a board that takes no writes those that
 * read; keys that answer a question permanently are left out.
 */
const offersFor = (state: ConsoleState, typed: string): readonly Offer[] => {
  const mode = modeOf(beneath(state))
  const [here, elsewhere] = [
    boundRowsOf(state).filter((row) => !row.answers && row.modes.includes(mode)),
    boundRowsOf(state).filter((row) => row.modes.includes('list')),
  ]
  const all = [...here, ...elsewhere.filter((row) => !here.includes(row))]
  if (whyClosed(state) === undefined) return offersOf(state, all, typed)
  return offersOf(state, [...all.filter(({ writes }) => !writes), ...all.filter(({ writes }) => writes)], typed)
}

/** The state below the palette. */
const beneath = (state: ConsoleState): ConsoleState => ({
  ...state,
  view: { ...state.view, overlay: state.view.overlay?.behind ?? null },
})

/** An offer of the palette: a key, a command with a form, or an earlier command line. */
type Offer =
  | { readonly kind: 'key'; readonly row: KeyRow }
  | { readonly kind: 'command'; readonly command: ConsoleCommand }
  | { readonly kind: 'past'; readonly command: ConsoleCommand; readonly past: KeptCommand }

/** The offers that match the typed letters, best first; keys before commands of the same score. */
const offersOf = ({ commands }: ConsoleState, keyRows: readonly KeyRow[], typed: string): readonly Offer[] => {
  const all: readonly { readonly offer: Offer; readonly texts: readonly [string, ...string[]] }[] = [
    ...keyRows.map((row) => ({ offer: { kind: 'key', row } as const, texts: [row.label, row.id, row.help] as const })),
    ...commands.map((command) => ({
      offer: { kind: 'command', command } as const,
      texts: [command.path, command.summary] as const,
    })),
  ]
  if (typed.trim() === '') return all.map(({ offer }) => offer)
  return all
    .flatMap(({ offer, texts }) => {
      const score = scoreOf(typed, texts)
      return score === undefined ? [] : [{ offer, score }]
    })
    .sort((a, b) => b.score - a.score)
    .map(({ offer }) => offer)
}

/** A word that people type for another one counts half as much as that one. */
const scoreOf = (typed: string, texts: readonly [string, ...string[]]): number | undefined => {
  const [, ...meant] = wordsFor(typed.trim().toLowerCase())
  const scores = [typed, ...meant].map((words, at) => {
    const score = fuzzyScore(words, texts)
    return score === undefined ? -Infinity : at === 0 ? score : score / 2
  })
  const best = Math.max(...scores)
  return best === -Infinity ? undefined : best
}

/** Earlier command lines whose commands still exist, newest first. */
const pastOf = ({ kept, commands }: ConsoleState): readonly Offer[] =>
  kept.commands.flatMap((past) => {
    const command = commands.find(({ path }) => path === past.path)
    return command ? [{ kind: 'past', command, past } as const] : []
  })

const commandRow = (offer: Exclude<Offer, { kind: 'key' }>): PaletteRow =>
  offer.kind === 'past'
    ? { keys: ours('↑'), help: safeText(shellLine(offer.command.line(offer.past.values))), blocked: null }
    : { keys: ours('…'), help: ours(`${offer.command.path} · ${offer.command.summary}`), blocked: null }
