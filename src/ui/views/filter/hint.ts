import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { parseFilter } from '../../../domain/task/filter-parser.ts'
import { refusedHint } from '../../keys/typing.ts'
import type { TypedLine } from '../../core/registry.ts'
import { keyed, shownKey } from '../../keys/bindings.ts'
import type { ConsoleState } from '../../core/state.ts'
import { foundWords } from '../../panes/matches.ts'
import { offersFor } from './state.ts'
import { filterText } from '../../../text/tasks.ts'
import { typingHints } from '../../../text/panes.ts'

/**
 * The text after a typed filter: its refusal or error, otherwise the number of matching tasks and the effect of tab.
 */
export const filterHint = (state: ConsoleState): Pick<TypedLine, 'hint' | 'wrong'> => {
  const { overlay, notice } = state.view
  if (overlay?.kind !== 'filter') return { hint: ours(''), wrong: false }
  const refused = refusedHint(notice)
  if (refused) return refused
  const { problem } = parseFilter(overlay.text)
  if (problem !== null) return { hint: safeText(problem), wrong: true }
  const offers =
    overlay.offer || overlay.text === ''
      ? []
      : offersFor(state, overlay.text).map((offer) => safeText(offer.slice(offer.lastIndexOf(' ') + 1)))
  const continues =
    offers.length === 0
      ? ''
      : filterText.continues(shownKey(state, 'complete-filter'), offers.slice(0, 3), offers.length > 3)
  return {
    hint: ours(
      `${overlay.text.trim() === '' ? '' : `${foundWords(state.found)}   `}${keyed(state, typingHints.filter)}${continues}`,
    ),
    wrong: false,
  }
}
