import { memo } from 'react'
import { Box } from 'ink'
import { ours, safeText, spelledOut } from '../../domain/safe-text.ts'
import { Approval } from '../../../components/Approval.tsx'
import { CommandForm } from '../../../components/CommandForm.tsx'
import { Confirm } from '../../../components/Confirm.tsx'
import { Form } from '../../../components/Form.tsx'
import { Inbox } from '../../../components/Inbox.tsx'
import { Palette } from '../../../components/Palette.tsx'
import { Sheet } from '../../../components/Sheet.tsx'
import { fold, widthOf } from '../../../components/fit.ts'
import { commandHeight, hintRows } from '../../../components/form-lines.ts'
import { answers, whyNotYes } from '../approval.ts'
import { helpIn, helpOf, soughtIn } from '../comfort/help.ts'
import { useConsole } from '../context.ts'
import { savedLines } from '../filter/presses.ts'
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
import { type FormTable, hintBelow, wordsOf } from '../palette/form-words.ts'
import { PastOver } from '../past/PastOver.tsx'
import { sheetOf, sheetOfLines } from '../sheets.ts'
import type { ConsoleState, Overlay } from '../state.ts'
import { PlotsOver } from '../plots/PlotsOver.tsx'
import { MemoryOver } from './MemoryOver.tsx'
import { filterText } from '../../text/filter.ts'
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
  if (overlay.kind === 'form' && overlay.form.command) return commandHeight(wordsOf(table, overlay.form), columns) + 2
  if (overlay.kind === 'form') return overlay.form.fields.length + hintRows(hintBelow(table, overlay.form), columns, Infinity).length + 2
  return overlay.kind === 'palette' ? 13 : Infinity
}

/** What lies over the panes, or below them. */
export const Over = memo(({ columns, taken }: { readonly columns: number; readonly taken: number }) => {
  const state = useConsole((all) => all)
  const { overlay } = state.view
  if (!overlay || overlay.kind === 'filter') return null
  const review = helpIn(overlay) || overlay.kind === 'verification' ? undefined : approvalIn(overlay)
  if (!review) return <Front state={state} overlay={overlay} columns={columns} taken={taken} />
  const over = Math.min(taken, linesOver(overlay, columns, state))
  if (overlay === review) return <Reviewing state={state} overlay={review} columns={columns} taken={taken} />
  return (
    <Box flexDirection="column">
      {taken - over > 3 ? <Reviewing state={state} overlay={review} columns={columns} taken={taken - over} /> : null}
      {over === 0 ? null : <Front state={state} overlay={overlay} columns={columns} taken={over} />}
    </Box>
  )
})
Over.displayName = 'Over'

const Front = ({ state, overlay, columns, taken }: { state: ConsoleState; overlay: Overlay; columns: number; taken: number }) => {
  if (overlay.kind === 'confirm')
    return <Confirm lines={confirmLines(overlay, columns)} answers={ours(keyed(state, confirmText.answers))} width={columns} height={Math.max(1, taken - 2)} />
  if (overlay.kind === 'palette') return <Palette typed={safeText(overlay.text)} {...pickedIn(state, overlay)} width={columns} height={Math.max(1, taken - 3)} />
  if (overlay.kind === 'form' && overlay.form.command)
    return <CommandForm title={ours(overlay.form.title)} {...wordsOf(state, overlay.form)} width={columns} height={Math.max(1, taken - 2)} />
  if (overlay.kind === 'form') return <FormOver state={state} overlay={overlay} columns={columns} height={Math.max(1, taken - 2)} />
  if (overlay.kind === 'filters') return <SavedFilters state={state} at={overlay.at} columns={columns} height={Math.max(1, taken - 2)} />
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
  const status = worktreeOf(state, overlay.worktree)?.integration?.status ?? 'none'
  const ready = whyNotYes(state) === undefined
  return (
    <Approval {...window} width={columns} height={height} ready={ready} answer={ours(status === 'ready' && !ready ? reviewText.diffIsBeingRead : keyed(state, answers[status]))} />
  )
}

const FormOver = ({ state, overlay: { form }, columns, height }: { state: ConsoleState; overlay: Extract<Overlay, { kind: 'form' }>; columns: number; height: number }) => (
  <Form
    title={ours(spelledOut(form.title).join(' '))}
    fields={form.fields.map((field) => ({
      label: ours(field.label),
      value: ours(spelledOut(field.value).join(' ')),
      choice: field.options !== undefined,
      hint: ours(keyed(state, field.hint) + (field.heard ?? '')),
    }))}
    at={form.at}
    hint={hintBelow(state, form)}
    width={columns}
    height={height}
  />
)

const SavedFilters = ({ state, at, columns, height }: { state: ConsoleState; at: number; columns: number; height: number }) => {
  const lines = savedLines(state, at)
  const top = Math.max(0, Math.min(at - height + 1, lines.length - height))
  return <Sheet title={ours(filterText.savedTitle)} lines={lines.slice(top, top + height)} top={top} total={lines.length} width={columns} height={height} />
}

const Read = ({ state, columns, taken }: { state: ConsoleState; columns: number; taken: number }) => {
  const { overlay } = state.view
  const sheet = helpIn(overlay) ? sheetOfLines(titleOfHelp(state), helpOf(state)) : (sheetOf(state) ?? sheetOfLines(ours(goneText.title), [{ text: ours(goneText.says) }]))
  const height = Math.max(1, taken - 2 - (hasAnswer(overlay) ? 1 : 0))
  const top = Math.max(0, Math.min(overlay && 'top' in overlay ? overlay.top : 0, sheet.total - height))
  const lines = Array.from({ length: Math.min(height, sheet.total - top) }, (_, index) => sheet.line(top + index))
  const props = { title: sheet.title, lines, top, total: sheet.total, width: columns, height }
  if (overlay?.kind === 'request') return <Approval {...props} ready={shownRequest(state)?.status === 'open'} answer={answersTo(shownRequest(state), shownKey(state, 'reply'))} />
  if (overlay?.kind === 'budget') return <Approval {...props} ready={shownBudget(state) !== undefined} answer={answersToBudget(state)} />
  if (overlay?.kind === 'guard') return <Approval {...props} ready answer={guardAnswer} />
  return <Sheet {...props} />
}

const titleOfHelp = (state: ConsoleState) => ours(soughtIn(state) === '' ? helpText.title : helpText.titleWith(safeText(soughtIn(state))))

const confirmLines = (overlay: Extract<Overlay, { kind: 'confirm' }>, columns: number) =>
  overlay.lines.flatMap((line) => (widthOf(line) > columns - 4 ? fold(line, columns - 4) : [line]))
