import type { Attention } from '../../../operations/screens/attention.ts'
import type { Controller } from '../../core/controller.ts'
import { giveBudget, stopFor } from '../../actions/budget.ts'
import { selectTask } from '../../panes/movement.ts'
import { open } from '../../core/overlays.ts'
import type { ConsoleState } from '../../core/state.ts'
import { budgetText } from '../../../text/inbox.ts'

// From `w` to the answer whether something that has used its budget up goes on.

export interface BudgetOverlay {
  readonly kind: 'budget'
  /** Null for the session. */
  readonly taskId: number | null
  readonly top: number
}

/** Selects the task and shows what it has cost. Answering is another key, pressed once it can be read. */
export const showBudget = (controller: Controller, { taskId }: Pick<Attention, 'taskId'>): void => {
  if (taskId !== null) controller.change(selectTask(taskId))
  controller.change(open({ kind: 'budget', taskId, top: 0 }))
}

/** The budget question in the front overlay; undefined once it is answered. */
export const shownBudget = ({ board, view: { overlay } }: ConsoleState): Attention | undefined =>
  overlay?.kind === 'budget'
    ? board.attention.find((item) => item.kind === 'budget' && item.taskId === overlay.taskId)
    : undefined

export const whyNotBudget = (state: ConsoleState): string | undefined =>
  shownBudget(state) ? undefined : budgetText.nobodyAsked

export const raiseBudget = (controller: Controller): void =>
  giveBudget(controller, shownBudget(controller.state())!, { kind: 'raise' })

export const liftBudget = (controller: Controller): void =>
  giveBudget(controller, shownBudget(controller.state())!, { kind: 'none' })

export const stopOverBudget = (controller: Controller): void => stopFor(controller, shownBudget(controller.state())!)
