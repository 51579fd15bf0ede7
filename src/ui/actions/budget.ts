import { limitWords } from '../../domain/budget/budget.ts'
import { answerBudget, type BudgetAnswer } from '../../operations/tasks/budget-answers.ts'
import type { Attention } from '../../operations/screens/attention.ts'
import type { Controller } from '../core/controller.ts'
import { keyed } from '../keys/bindings.ts'
import { cancelQuestion } from './cancel.ts'
import { ask, settle } from './answers.ts'
import { budgetText } from '../../text/inbox.ts'

/** Answers whether something that has used its budget up goes on. */
export const giveBudget = (controller: Controller, item: Attention, given: BudgetAnswer): void => {
  const { taskId, since } = item
  const what = taskId === null ? budgetText.theSession : budgetText.theTask(taskId)
  settle(
    controller,
    item,
    budgetText.did[given.kind],
    answerBudget,
    { ...(taskId === null ? {} : { taskId }), answer: given, askedAt: since },
    ({ budget }) =>
      given.kind === 'raise'
        ? budgetText.raised(what, limitWords(budget))
        : given.kind === 'none'
          ? budgetText.lifted(what)
          : keyed(controller.state(), budgetText.stopped),
  )
}

/** A task is cancelled, which is asked once more; of a session nothing more is started. */
export const stopFor = (controller: Controller, item: Attention): void => {
  const { taskId } = item
  if (taskId === null) giveBudget(controller, item, { kind: 'stop' })
  else ask(controller, (state) => cancelQuestion(state, taskId))
}
