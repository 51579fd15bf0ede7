import { ours, safeText, type SafeText } from '../../domain/safe-text.ts'
import { parseFilter } from '../../domain/task-filter.ts'
import { keyed, shownKey } from '../key-table.ts'
import type { ConsoleState } from '../state.ts'
import { foundWords, offersFor } from './state.ts'
import { filterText } from '../../text/filter.ts'
import { typingHints } from '../../text/panes.ts'

interface Hint {
  readonly hint: SafeText
  readonly wrong: boolean
}

/** What a key was just refused for: while words are typed, their line has the place of the notice. */
export const refusedHint = ({ tone, text }: ConsoleState['view']['notice']): Hint | undefined => (tone === 'refused' && text !== '' ? { hint: text, wrong: true } : undefined)

/** What stands behind the filter that is typed: what was refused or is wrong with it, else how many tasks it finds and what tab would do. */
export const filterHint = (state: ConsoleState): Hint => {
  const { overlay, notice } = state.view
  if (overlay?.kind !== 'filter') return { hint: ours(''), wrong: false }
  const refused = refusedHint(notice)
  if (refused) return refused
  const { problem } = parseFilter(overlay.text)
  if (problem !== null) return { hint: safeText(problem), wrong: true }
  const offers = overlay.offer || overlay.text === '' ? [] : offersFor(state, overlay.text).map((offer) => safeText(offer.slice(offer.lastIndexOf(' ') + 1)))
  const continues = offers.length === 0 ? '' : filterText.continues(shownKey(state, 'complete-filter'), offers.slice(0, 3), offers.length > 3)
  return { hint: ours(`${overlay.text.trim() === '' ? '' : `${foundWords(state.found)}   `}${keyed(state, typingHints.filter)}${continues}`), wrong: false }
}
