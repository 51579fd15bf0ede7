import { conflictWords, type Opponent, opponentsOf } from '../../domain/integration/radar.ts'
import { ours, safeText } from '../../domain/words/safe-text.ts'
import type { Line } from '../../../components/Lines.tsx'
import type { ConsoleState } from '../core/state.ts'
import { heading, paragraph, widthIn, written } from './lines.ts'
import { radarText } from '../../text/integration.ts'

/** The warnings for a person before they approve a worktree, a sentence each; not safe yet, because they contain names that others chose. */
export const radarWarnings = ({ radar }: ConsoleState, worktree: string): readonly string[] => {
  if (radar === null) return []
  const before =
    radar.worktrees.find(({ name }) => name === worktree)?.needs.filter((name) => radar.order.includes(name)) ?? []
  return [
    ...opponentsOf(radar.pairs, worktree).map((opponent) => `${worktree} ${conflictWords(opponent)}.`),
    ...(before.length > 0 ? [radarText.buildsOn(worktree, before)] : []),
  ]
}

/** `conflicts with payments +2`: the first that it conflicts with, and how many more there are; empty where it merges. */
export const radarMark = ({ radar }: Pick<ConsoleState, 'radar'>, worktree: string): string => {
  const [first, ...more] = opponentsOf(radar?.pairs ?? [], worktree)
  if (!first) return ''
  return radarText.mark(first.conflict.problem !== null, first.name, more.length)
}

/** For the detail of a worktree: each that it conflicts with, and the files. */
export const radarLines = ({ radar, ...state }: ConsoleState, worktree: string): readonly Line[] => {
  const remark = radar?.worktrees.find(({ name }) => name === worktree)?.remark ?? null
  const width = widthIn(state)
  return [
    ...opponentsOf(radar?.pairs ?? [], worktree).flatMap((opponent) => conflictLines(opponent, width)),
    ...(remark === null ? [] : [...heading(radarText.remark, 'yellow'), ...paragraph(remark, width)]),
  ]
}

/** The known conflict of one pair, below the name of the other side. */
export const conflictLines = ({ name, conflict }: Opponent, width: number): readonly Line[] => [
  ...heading(radarText.pair(conflict.problem !== null, safeText(name)), 'red'),
  ...written(conflict.problem ?? conflict.files.join('\n'), width),
  ...(conflict.includesUncommitted ? [{ text: ours(radarText.uncommitted), dim: true }] : []),
]
