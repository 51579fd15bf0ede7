import { modeText } from '../../../text/keys.ts'
import { typingHints } from '../../../text/panes.ts'
import { helpSheet, keepSearch, openHelp, searchHelp } from './help.ts'
import { typedLine, typedText } from '../../keys/typing.ts'
import type { ReadView, TypedView } from '../../core/registry.ts'

export interface HelpOverlay {
  readonly kind: 'help'
  readonly top: number
  /** Words that filter its rows. */
  readonly sought: string
}

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

export interface HelpSearchOverlay {
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
