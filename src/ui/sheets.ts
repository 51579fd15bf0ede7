import type { SafeText } from '../domain/safe-text.ts'
import type { Line } from '../../components/Lines.tsx'
import { outputSheet } from './review/output-sheet.ts'
import { commandsSheet } from './git-commands.ts'
import { guardSheet } from './guard.ts'
import { pairSheet } from './radar-sheet.ts'
import { recordSheet } from './memory/record-sheet.ts'
import { requestSheet } from './request-sheet.ts'
import { agentLines, taskLines, worktreeLines } from './detail-lines.ts'
import { selectedAgent, selectedTask, selectedWorktree } from './selection.ts'
import type { ConsoleState, ListPane } from './state.ts'

/** A view that is scrolled: its lines are made when they are seen. */
export interface SheetContent {
  readonly title: SafeText
  readonly total: number
  readonly line: (index: number) => Line
}

/** What the overlay in front has to read, if it is one to be read. */
export const sheetOf = (state: ConsoleState): SheetContent | undefined => {
  const { overlay } = state.view
  if (overlay?.kind === 'verification') return outputSheet(state, overlay.worktree)
  if (overlay?.kind === 'record') return recordSheet(state, overlay.record)
  if (overlay?.kind === 'guard') return guardSheet(state, overlay)
  if (overlay?.kind === 'commands') return commandsSheet(state, overlay)
  if (overlay?.kind === 'request') return requestSheet(state, overlay.request)
  if (overlay?.kind === 'radar') return overlay.pair === null ? undefined : pairSheet(state, overlay.pair)
  return overlay?.kind === 'detail' ? details[overlay.of](state) : undefined
}

export const sheetOfLines = (title: SafeText, lines: readonly Line[]): SheetContent => ({ title, total: lines.length, line: (index) => lines[index]! })

const details: Record<ListPane, (state: ConsoleState) => SheetContent | undefined> = {
  board: (state) => {
    const task = selectedTask(state)
    return task && sheetOfLines(...taskLines(state, task))
  },
  agents: (state) => {
    const agent = selectedAgent(state)
    return agent && sheetOfLines(...agentLines(state, agent))
  },
  worktrees: (state) => {
    const worktree = selectedWorktree(state)
    return worktree && sheetOfLines(...worktreeLines(state, worktree))
  },
}
