import { InvalidArgumentError } from 'commander'
import { answerBudget, type BudgetAnswer } from '../../operations/budgets/answer-budget.ts'
import { act } from '../../operations/door/perform.ts'
import { readBudget } from '../../operations/budgets/read-budget.ts'
import { readCosts } from '../../operations/budgets/read-costs.ts'
import { type Answer, type Call, type Command, does, given, open, performs } from '../call/command.ts'
import { budgetText, costText } from '../print/cost-text.ts'
import { count, dollars, taskNumber } from '../call/values.ts'
import { argument, flag, naming, option } from '../call/words.ts'

const answers = {
  again: flag('--again', 'Raise it by its initial amount until it suffices'),
  raise: option('--raise', 'N', 'Raise it by this many dollars', dollars),
  raiseTokens: option('--raise-tokens', 'N', 'Raise it by this many tokens', count),
  none: flag('--none', 'Continue without a limit'),
}

/** Without these words the command only shows the budget. */
const grave = ['again', 'raise', 'raiseTokens', 'none', 'stop'] as const

/** The cost of agents, and its limits. */
export const costCommands: readonly Command[] = [
  performs({ path: 'cost', words: {}, operation: readCosts, input: () => ({}), text: costText, example: 'cost' }),
  does({
    path: 'task budget',
    summary: 'Show budget and usage of a task, raise the budget, or stop the task',
    words: {
      id: naming('tasks', argument('ID', 'Number of the task', taskNumber)),
      ...answers,
      stop: flag('--stop', 'Cancel the task and stop its agent'),
    },
    grave,
    run: ({ id, ...words }, call) => budget(call, id, words),
    example: 'task budget 3 --raise 2.50',
  }),
  does({
    path: 'session budget',
    summary: 'Show budget and usage of the running session, raise the budget, or pause scheduling',
    words: { ...answers, stop: flag('--stop', 'Pause scheduling; running agents continue') },
    grave,
    run: (words, call) => budget(call, undefined, words),
    example: 'session budget --again',
  }),
]

interface Given {
  readonly again: boolean
  readonly raise: number | undefined
  readonly raiseTokens: number | undefined
  readonly none: boolean
  readonly stop: boolean
}

const budget = async (call: Call, taskId: number | undefined, words: Given): Promise<Answer> => {
  const answer = answerOf(words)
  const connection = await open(call)
  const found = answer
    ? await act(connection, answerBudget, { ...given('taskId', taskId), answer })
    : await act(connection, readBudget, given('taskId', taskId))
  return { json: found, text: budgetText(found) }
}

/** At most one answer; without any the budget is only shown. */
const answerOf = ({ again, raise, raiseTokens, none, stop }: Given): BudgetAnswer | undefined => {
  const raises = raise !== undefined || raiseTokens !== undefined
  if ([again, raises, none, stop].filter(Boolean).length > 1)
    throw new InvalidArgumentError('Use only one of --again, --raise, --none and --stop.')
  if (again || raises) return { kind: 'raise', ...given('costUsd', raise), ...given('tokens', raiseTokens) }
  if (none) return { kind: 'none' }
  return stop ? { kind: 'stop' } : undefined
}
