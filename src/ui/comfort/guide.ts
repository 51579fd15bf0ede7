import { ours, type SafeText } from '../../domain/safe-text.ts'
import { shownKey } from '../key-table.ts'
import type { ConsoleState } from '../state.ts'
import { isGuiding } from './guiding.ts'

/** What to press next, for whoever has not put a task on the board yet; nothing for anybody else. */
export const guideOf = (state: ConsoleState): readonly SafeText[] => {
  if (!isGuiding(state)) return []
  const key = (id: string): string => shownKey(state, id)
  return [
    ours(`${key('new')} puts a task on the board; an agent is started for it.`),
    ours(`${key('help')} shows every key, ${key('palette')} finds a command by its name.`),
    ours(`${key('back')} takes these lines away for good.`),
  ]
}
