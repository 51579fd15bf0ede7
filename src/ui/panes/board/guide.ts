import { ours, type SafeText } from '../../../domain/words/safe-text.ts'
import { shownKey } from '../../keys/bindings.ts'
import type { ConsoleState } from '../../core/state.ts'
import { isGuiding } from '../../core/reducers.ts'
import { guideText } from '../../../text/panes.ts'

/** The next keys for a person without any task; empty for everyone else. */
export const guideOf = (state: ConsoleState): readonly SafeText[] => {
  if (!isGuiding(state)) return []
  const key = (id: string): string => shownKey(state, id)
  return [
    ours(state.preferences.agentless ? guideText.newCommand : guideText.newTask),
    ours(guideText.integrate(key('integrate'))),
    ours(guideText.find(key('help'), key('palette'), key('back'))),
  ]
}
