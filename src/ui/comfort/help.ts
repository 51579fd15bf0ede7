import type { Desk } from '../desk.ts'
import type { Line } from '../../../components/Lines.tsx'
import { widthIn } from '../detail-lines.ts'
import { helpLines } from '../key-table.ts'
import { open } from '../overlays.ts'
import { type ConsoleState, looking, type Mode, modeOf, type Overlay, type Transition } from '../state.ts'

// The help, and the words that its rows must have.

type HelpOverlay = Extract<Overlay, { kind: 'help' }>

export const openHelp = (desk: Desk): void => desk.change((state) => open({ kind: 'help', top: 0, total: helpOf(state).length, sought: '' })(state))

export const searchHelp = (desk: Desk): void =>
  desk.change((state) => {
    const { overlay } = state.view
    return overlay?.kind === 'help' ? open({ kind: 'help-search', text: overlay.sought })(state) : state
  })

/** Back in the help, of which only the rows with these words are left. */
export const keepSearch: Transition = (state) => {
  const { overlay } = state.view
  const help = helpIn(overlay)
  if (overlay?.kind !== 'help-search' || !help) return state
  return looking(() => ({ overlay: { ...help, sought: overlay.text, top: 0, total: helpOf(state, overlay.text).length } }))(state)
}

/** In another width its sentences take other lines. */
export const remeasureHelp: Transition = (state) => {
  const { overlay } = state.view
  if (overlay?.kind !== 'help') return state
  const total = helpOf(state, overlay.sought).length
  return total === overlay.total ? state : looking(() => ({ overlay: { ...overlay, total } }))(state)
}

/** The keys with these words, in lines that fit. */
export const helpOf = (state: ConsoleState, sought = soughtIn(state)): readonly Line[] => helpLines(state.comfort.bindings, sought, widthIn(state), askedIn(state))

/** The mode in which one asked for the help. */
const askedIn = (state: ConsoleState): Mode => {
  const help = helpIn(state.view.overlay)
  return modeOf(help ? { ...state, view: { ...state.view, overlay: help.behind ?? null } } : state)
}

/** The help that is seen, also while one types what is looked for in it. */
export const helpIn = (overlay: Overlay | null): HelpOverlay | undefined => {
  const seen = overlay?.kind === 'help-search' ? overlay.behind : overlay
  return seen?.kind === 'help' ? seen : undefined
}

/** The words that the rows of the help must have now. */
export const soughtIn = ({ view: { overlay } }: ConsoleState): string => (overlay?.kind === 'help-search' ? overlay.text : (helpIn(overlay)?.sought ?? ''))
