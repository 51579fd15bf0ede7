import { ours, type SafeText } from '../../domain/safe-text.ts'
import { shownKey } from '../key-table.ts'
import type { ConsoleState } from '../state.ts'
import { isGuiding } from './guiding.ts'
import { guideText } from '../../text/comfort.ts'

/** What to press next, for whoever has not put a task on the board yet; nothing for anybody else. */
export const guideOf = (state: ConsoleState): readonly SafeText[] => {
  if (!isGuiding(state)) return []
  const key = (id: string): string => shownKey(state, id)
  const begin = state.comfort.agentless ? [guideText.install, guideText.newCommand(key('new'))] : [guideText.newTask(key('new'))]
  return [...begin.map(ours), ours(guideText.find(key('help'), key('palette'))), ours(guideText.dismiss(key('back')))]
}
