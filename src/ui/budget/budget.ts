import { answerBudget, type BudgetAnswer } from '../../operations/answer-budget.ts'
import type { Attention } from '../../operations/read-board.ts'
import { limitWords } from '../../domain/budget.ts'
import type { Desk } from '../desk.ts'
import { linesOf } from '../intents.ts'
import { keyed } from '../key-names.ts'
import { selectTask } from '../movement.ts'
import { settle } from '../inbox/settle.ts'
import { open } from '../overlays.ts'
import type { ConsoleState } from '../state.ts'
import { budgetText } from '../../text/budget.ts'

// From `w` to the answer whether something that has used its budget up goes on.

export interface BudgetOverlay {
  readonly kind: 'budget'
  /** Null for the session. */
  readonly taskId: number | null
  readonly top: number
}

/** Selects the task and shows what it has cost. Answering is another key, pressed once it can be read. */
export const showBudget = (desk: Desk, { taskId }: Pick<Attention, 'taskId'>): void => {
  if (taskId !== null) desk.change(selectTask(taskId))
  desk.change(open({ kind: 'budget', taskId, top: 0 }))
}

/** What is asked in the overlay in front; undefined once it is answered. */
export const shownBudget = ({ board, view: { overlay } }: ConsoleState): Attention | undefined =>
  overlay?.kind === 'budget' ? board.attention.find((item) => item.kind === 'budget' && item.taskId === overlay.taskId) : undefined

export const whyNotBudget = (state: ConsoleState): string | undefined => (shownBudget(state) ? undefined : budgetText.nobodyAsked)

export const raiseBudget = (desk: Desk): void => giveBudget(desk, shownBudget(desk.state())!, { kind: 'raise' })

export const liftBudget = (desk: Desk): void => giveBudget(desk, shownBudget(desk.state())!, { kind: 'none' })

export const stopOverBudget = (desk: Desk): void => stopFor(desk, shownBudget(desk.state())!)

/** A task is cancelled, which is asked once more; of a session nothing more is started. */
export const stopFor = (desk: Desk, item: Attention): void => {
  const { taskId } = item
  if (taskId === null) return giveBudget(desk, item, { kind: 'stop' })
  desk.change((state) => open({ kind: 'confirm', intent: { kind: 'cancel', taskId }, lines: linesOf(state, { kind: 'cancel', taskId }) })(state))
}

export const giveBudget = (desk: Desk, item: Attention, given: BudgetAnswer): void => {
  const { taskId, since } = item
  const what = taskId === null ? budgetText.theSession : budgetText.theTask(taskId)
  settle(desk, item, budgetText.did[given.kind], answerBudget, { ...(taskId === null ? {} : { taskId }), answer: given, askedAt: since }, ({ budget }) =>
    given.kind === 'raise' ? budgetText.raised(what, limitWords(budget)) : given.kind === 'none' ? budgetText.lifted(what) : keyed(desk.state(), budgetText.stopped),
  )
}
