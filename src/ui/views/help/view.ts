import type { Line } from '../../../../components/Lines.tsx'
import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { helpText, modeText } from '../../../text/keys.ts'
import { typingHints } from '../../../text/panes.ts'
import type { Controller } from '../../core/controller.ts'
import { open, sheetOfLines } from '../../core/overlays.ts'
import type { ReadView, SheetContent, TypedView } from '../../core/registry.ts'
import { changingView, type ConsoleState, type Mode, modeOf, type Overlay, type Transition } from '../../core/state.ts'
import { helpLines } from '../../keys/help.ts'
import { typedLine, typedText } from '../../keys/typing.ts'
import { widthIn } from '../../rows/lines.ts'

// The help, and the words that filter its rows.

interface HelpOverlay {
  readonly kind: 'help'
  readonly top: number
  /** Words that filter its rows. */
  readonly sought: string
}

/** The filtered keys, in lines that fit. */
const helpSheet = (state: ConsoleState): SheetContent =>
  sheetOfLines(
    ours(soughtIn(state) === '' ? helpText.title : helpText.titleWith(safeText(soughtIn(state)))),
    helpOf(state),
  )

// prettier-ignore
export const help: ReadView<HelpOverlay> = {
  kind: 'help',
  title: modeText.help,
  manner: 'reading',
  shares: [{ id: 'help', keys: ['?'], shown: '?', manners: ['reading', 'playing'], footer: true, press: (controller) => openHelp(controller) }],
  keys: [{ id: 'search-help', keys: ['/'], shown: '/', footer: true, press: (controller) => searchHelp(controller) }],
  also: ['close'],
  without: ['help'],
  empty: {},
  content: helpSheet,
  click: null,
}

interface HelpSearchOverlay {
  readonly kind: 'help-search'
  readonly text: string
}

// prettier-ignore
export const helpSearch: TypedView<HelpSearchOverlay> = {
  kind: 'help-search',
  title: modeText['help-search'],
  manner: 'typing',
  keys: [{ id: 'keep-search', keys: ['enter'], shown: 'enter', footer: true, press: (controller) => controller.change(keepSearch) }],
  empty: {},
  typed: typedLine(typingHints.keepKeys),
  edit: typedText,
  click: null,
}

const openHelp = (controller: Controller): void => controller.change(open({ kind: 'help', top: 0, sought: '' }))

const searchHelp = (controller: Controller): void =>
  controller.change((state) => {
    const { overlay } = state.view
    return overlay?.kind === 'help' ? open({ kind: 'help-search', text: overlay.sought })(state) : state
  })

/** Returns to the help, filtered by these words. */
const keepSearch: Transition = (state) => {
  const { overlay } = state.view
  const help = helpIn(overlay)
  if (overlay?.kind !== 'help-search' || !help) return state
  return changingView(() => ({ overlay: { ...help, sought: overlay.text, top: 0 } }))(state)
}

/** The keys with these words, in lines that fit. */
export const helpOf = (state: ConsoleState, sought = soughtIn(state)): readonly Line[] =>
  helpLines(state.table, state.preferences.bindings, sought, widthIn(state), askedIn(state))

/** The mode in which the help was opened. */
const askedIn = (state: ConsoleState): Mode => {
  const help = helpIn(state.view.overlay)
  return modeOf(help ? { ...state, view: { ...state.view, overlay: help.behind ?? null } } : state)
}

type HelpOver = Extract<Overlay, { kind: 'help' }>

/** The help that is seen, also while one types what is looked for in it. */
const helpIn = (overlay: Overlay | null): HelpOver | undefined => {
  const seen = overlay?.kind === 'help-search' ? overlay.behind : overlay
  return seen?.kind === 'help' ? seen : undefined
}

/** The words that the rows of the help must have now. */
const soughtIn = ({ view: { overlay } }: ConsoleState): string =>
  overlay?.kind === 'help-search' ? overlay.text : (helpIn(overlay)?.sought ?? '')
