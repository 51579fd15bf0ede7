import { memo } from 'react'
import { Box } from 'ink'
import { ours, safeText, type SafeText } from '../../domain/safe-text.ts'
import { Approval } from '../../../components/Approval.tsx'
import { Confirm } from '../../../components/Confirm.tsx'
import { Form } from '../../../components/Form.tsx'
import { Inbox } from '../../../components/Inbox.tsx'
import { Palette } from '../../../components/Palette.tsx'
import { Sheet } from '../../../components/Sheet.tsx'
import { fold, widthOf } from '../../../components/fit.ts'
import { answers, whyNotYes } from '../approval.ts'
import { helpIn, helpOf, soughtIn } from '../comfort/help.ts'
import { useConsole } from '../context.ts'
import { savedWindow } from '../filter/saved.ts'
import { shownBudget } from '../budget/budget.ts'
import { answersToBudget } from '../budget/sheet.ts'
import { guardAnswer } from '../guard.ts'
import { inboxWindow } from '../inbox/rows.ts'
import { keyed, pickedIn, shownKey } from '../key-table.ts'
import { logsWindow } from '../logs/window.ts'
import { hasAnswer } from '../movement.ts'
import { radarWindow } from '../radar-sheet.ts'
import { answersTo } from '../request-sheet.ts'
import { shownRequest } from '../request.ts'
import { worktreeOf } from '../selection.ts'
import { type ApprovalOverlay, approvalIn, windowOf } from '../review/window.ts'
import { formTakes, type FormTable, wordsOf } from '../palette/form-words.ts'
import { PastOver } from '../past/PastOver.tsx'
import { sheetOf, sheetOfLines } from '../sheets.ts'
import type { ConsoleState, Overlay } from '../state.ts'
import { PlotsOver } from '../plots/PlotsOver.tsx'
import { MemoryOver } from './MemoryOver.tsx'
import { goneText, helpText } from '../../text/palette.ts'
import { confirmText } from '../../text/panes.ts'
import { reviewText } from '../../text/review.ts'

/** Lines that the overlay takes from the panes; all of them where it is to be read. */
export const linesTaken = (overlay: Overlay | null, body: number, columns: number, table: FormTable): number => {
  if (!overlay || overlay.kind === 'filter') return 0
  // A review stays in sight while one types or is asked something about it.
  if (approvalIn(overlay)) return body
  return Math.min(body, linesOver(overlay, columns, table))
}

/** Lines of what lies over something that is read. */
export const linesOver = (overlay: Overlay, columns: number, table: FormTable): number => {
  if (overlay.kind === 'search' || overlay.kind === 'filter') return 0
  if (overlay.kind === 'confirm') return confirmLines(overlay, columns).length + 3
  if (overlay.kind === 'form') return formTakes(table, overlay.form, columns)
  return overlay.kind === 'palette' ? 13 : Infinity
}

/** Lines of a review that are seen above what lies over it; so few that only its border would be seen are none. */
export const reviewAbove = (taken: number, over: number): number => (taken - over > 3 ? taken - over : 0)

/** What lies over the panes, or below them. */
export const Over = memo(({ columns, taken }: { readonly columns: number; readonly taken: number }) => {
  const state = useConsole((all) => all)
  const { overlay } = state.view
  if (!overlay || overlay.kind === 'filter') return null
  const review = helpIn(overlay) || overlay.kind === 'verification' ? undefined : approvalIn(overlay)
  if (!review) return <Front state={state} overlay={overlay} columns={columns} taken={taken} />
  const over = Math.min(taken, linesOver(overlay, columns, state))
  if (overlay === review) return <Reviewing state={state} overlay={review} columns={columns} taken={taken} />
  const above = reviewAbove(taken, over)
  return (
    <Box flexDirection="column">
      {above > 0 ? <Reviewing state={state} overlay={review} columns={columns} taken={above} /> : null}
      {over === 0 ? null : <Front state={state} overlay={overlay} columns={columns} taken={over} />}
    </Box>
  )
})
Over.displayName = 'Over'

const Front = ({ state, overlay, columns, taken }: { state: ConsoleState; overlay: Overlay; columns: number; taken: number }) => {
  if (overlay.kind === 'confirm')
    return <Confirm lines={confirmLines(overlay, columns)} answers={ours(keyed(state, confirmText.answers))} width={columns} height={Math.max(1, taken - 2)} />
  if (overlay.kind === 'palette') return <Palette typed={safeText(overlay.text)} {...pickedIn(state, overlay)} width={columns} height={Math.max(1, taken - 3)} />
  if (overlay.kind === 'form') return <Form {...wordsOf(state, overlay.form, columns)} width={columns} height={Math.max(1, taken - 2)} />
  if (overlay.kind === 'filters') return <Sheet {...savedWindow(state, overlay, Math.max(1, taken - 2))} width={columns} height={Math.max(1, taken - 2)} />
  if (overlay.kind === 'inbox') return <Inbox {...inboxWindow(state, overlay)} width={columns} />
  if (overlay.kind === 'plots') return <PlotsOver state={state} overlay={overlay} columns={columns} taken={taken} />
  const memory = overlay.kind === 'memory-search' ? overlay.behind : overlay
  if (overlay.kind === 'past') return <PastOver state={state} overlay={overlay} columns={columns} taken={taken} />
  const logs = overlay.kind === 'log-search' ? overlay.behind : overlay
  if (logs?.kind === 'logs') return <Sheet {...logsWindow(state, logs, Math.max(1, taken - 2))} width={columns} height={Math.max(1, taken - 2)} />
  if (memory?.kind === 'memory') return <MemoryOver state={state} overlay={memory} columns={columns} taken={taken} />
  if (overlay.kind === 'radar' && overlay.pair === null) return <Sheet {...radarWindow(state, overlay, Math.max(1, taken - 2))} width={columns} height={Math.max(1, taken - 2)} />
  return <Read state={state} columns={columns} taken={taken} />
}

/** A review as far as there is room for it, and what `y` would do. */
const Reviewing = ({ state, overlay, columns, taken }: { state: ConsoleState; overlay: ApprovalOverlay; columns: number; taken: number }) => {
  const height = Math.max(1, taken - 3)
  const window = windowOf(state, overlay, height) ?? { title: ours(goneText.title), lines: [{ text: ours(goneText.says) }], top: 0, total: 1 }
  return <Approval {...window} width={columns} height={height} ready={whyNotYes(state) === undefined} answer={answerToReview(state, overlay)} />
}

const answerToReview = (state: ConsoleState, { worktree }: ApprovalOverlay): SafeText => {
  const status = worktreeOf(state, worktree)?.integration?.status ?? 'none'
  return ours(status === 'ready' && whyNotYes(state) !== undefined ? reviewText.diffIsBeingRead : keyed(state, answers[status]))
}

/** What the keys do, in the line below what is in front; undefined where there is no such line. */
export const answerBelow = (state: ConsoleState): SafeText | undefined => {
  const { overlay } = state.view
  if (overlay?.kind === 'approval') return answerToReview(state, overlay)
  if (overlay?.kind === 'request') return answersTo(shownRequest(state), shownKey(state, 'reply'))
  if (overlay?.kind === 'budget') return answersToBudget(state)
  return overlay?.kind === 'guard' ? guardAnswer : undefined
}

const Read = ({ state, columns, taken }: { state: ConsoleState; columns: number; taken: number }) => {
  const { overlay } = state.view
  const sheet = helpIn(overlay) ? sheetOfLines(titleOfHelp(state), helpOf(state)) : (sheetOf(state) ?? sheetOfLines(ours(goneText.title), [{ text: ours(goneText.says) }]))
  const height = Math.max(1, taken - 2 - (hasAnswer(overlay) ? 1 : 0))
  const top = Math.max(0, Math.min(overlay && 'top' in overlay ? overlay.top : 0, sheet.total - height))
  const lines = Array.from({ length: Math.min(height, sheet.total - top) }, (_, index) => sheet.line(top + index))
  const props = { title: sheet.title, lines, top, total: sheet.total, width: columns, height }
  if (overlay?.kind === 'request') return <Approval {...props} ready={shownRequest(state)?.status === 'open'} answer={answerBelow(state)!} />
  if (overlay?.kind === 'budget') return <Approval {...props} ready={shownBudget(state) !== undefined} answer={answerBelow(state)!} />
  if (overlay?.kind === 'guard') return <Approval {...props} ready answer={answerBelow(state)!} />
  return <Sheet {...props} />
}

const titleOfHelp = (state: ConsoleState) => ours(soughtIn(state) === '' ? helpText.title : helpText.titleWith(safeText(soughtIn(state))))

export const confirmLines = (overlay: Extract<Overlay, { kind: 'confirm' }>, columns: number) =>
  overlay.lines.flatMap((line) => (widthOf(line) > columns - 4 ? fold(line, columns - 4) : [line]))
