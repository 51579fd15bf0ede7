import { ours, type SafeText } from '../../../domain/words/safe-text.ts'
import { shownKey } from '../../keys/names.ts'
import type { ConsoleState } from '../../core/state.ts'
import { isGuiding } from '../../core/reducers.ts'
import { guideText } from '../../../text/comfort.ts'

/** The next keys for a person without any task; empty for everyone else. */
export const guideOf = (state: ConsoleState): readonly SafeText[] => {
  if (!isGuiding(state)) return []
  const key = (id: string): string => shownKey(state, id)
  const begin = state.preferences.agentless
    ? [guideText.install, guideText.newCommand(key('new'))]
    : [guideText.newTask(key('new'))]
  return [...begin.map(ours), ours(guideText.find(key('help'), key('palette'))), ours(guideText.dismiss(key('back')))]
}
