import type { SafeText } from '../domain/safe-text.ts'
import type { Line } from '../../components/Lines.tsx'
import { outputSheet } from './review/output-sheet.ts'
import { commandsSheet } from './git-commands.ts'
import { budgetSheet } from './budget/sheet.ts'
import { guardSheet } from './guard.ts'
import { pairSheet } from './radar-sheet.ts'
import { recordSheet } from './memory/record-sheet.ts'
import { requestSheet } from './request-sheet.ts'
import { detailSheet } from './detail/sheet.ts'
import type { ConsoleState } from './state.ts'

/** A view that is scrolled: its lines are made when they are seen. */
export interface SheetContent {
  readonly title: SafeText
  readonly total: number
  readonly line: (index: number) => Line
}

/** What the overlay in front has to read, if it is one to be read. */
export const sheetOf = (state: ConsoleState): SheetContent | undefined => {
  const { overlay } = state.view
  if (overlay?.kind === 'answer')
    return sheetOfLines(
      overlay.title,
      overlay.lines.map((text) => ({ text })),
    )
  if (overlay?.kind === 'verification') return outputSheet(state, overlay.worktree)
  if (overlay?.kind === 'record') return recordSheet(state, overlay.record)
  if (overlay?.kind === 'guard') return guardSheet(state, overlay)
  if (overlay?.kind === 'budget') return budgetSheet(state, overlay)
  if (overlay?.kind === 'commands') return commandsSheet(state, overlay)
  if (overlay?.kind === 'request') return requestSheet(state, overlay.request)
  if (overlay?.kind === 'radar') return overlay.pair === null ? undefined : pairSheet(state, overlay.pair)
  return overlay?.kind === 'detail' ? detailSheet(state, overlay) : undefined
}

export const sheetOfLines = (title: SafeText, lines: readonly Line[]): SheetContent => ({ title, total: lines.length, line: (index) => lines[index]! })
