import { InvalidArgumentError } from 'commander'
import { budgetWords, limitWords, usedWords } from '../../domain/budget/budget.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { clockMinute, type Instant } from '../../domain/words/time.ts'
import type { BudgetView } from '../../operations/budgets/budgets.ts'
import { type Costs, readBudget, readCosts } from '../../operations/budgets/costs.ts'
import { act } from '../../operations/perform/perform.ts'
import { answerBudget, type BudgetAnswer } from '../../operations/tasks/budget-answers.ts'
import { type Answer, type Call, type Command, does, given, open, performs } from '../call/command.ts'
import { count, dollars, taskNumber } from '../call/values.ts'
import { argument, flag, naming, option } from '../call/words.ts'
import { blocks, section } from '../print/columns.ts'

const answers = {
  again: flag('--again', 'Raise it by its initial amount until it suffices'),
  raise: option('--raise', 'N', 'Raise it by this many dollars', dollars),
  raiseTokens: option('--raise-tokens', 'N', 'Raise it by this many tokens', count),
  none: flag('--none', 'Continue without a limit'),
}

/** Without these words the command only shows the budget. */
const grave = ['again', 'raise', 'raiseTokens', 'none', 'stop'] as const

const costText = ({ sessionId, usage, budget, agents, tasks, kinds, sleeps }: Costs, now: Instant): string =>
  blocks([
    `${sessionId}: ${used(usage)}${standing(budget, usage)}`,
    section(
      'Tasks',
      tasks.map((task) => `${task.id}  ${used(task.usage)}  ${safeText(task.title)}`),
    ),
    section(
      'Agents',
      agents.map((agent) => `${safeText(agent.id)}  ${used(agent.usage)}`),
    ),
    section(
      'Kinds',
      kinds.map(({ kind, usage }) => `${safeText(kind)}  ${used(usage)}`),
    ),
    section(
      'Sleeping',
      sleeps.map(
        ({ kind, until, why, hosts = [] }) =>
          `${safeText(kind)} until ${clockMinute(until, now)}${hosts.length === 0 ? '' : ` on host${hosts.length === 1 ? '' : 's'} ${safeText(hosts.join(', '))}`}: ${safeText(why)}`,
      ),
    ),
  ])

const used = (usage: Usage): string => usedWords(usage) || 'nothing'

const standing = (budget: BudgetView, usage: Usage): string =>
  budget.costUsd === null && budget.tokens === null
    ? '; it has no budget'
    : `; its budget is ${limitWords(budget)}${blind(budget, usage)}${budget.askedAt === null ? '' : `, used up (${budgetWords(budget, usage)}), and needs your answer`}`

/** A limit in dollars cannot stop an agent that reports no price; one in tokens does. */
const blind = (budget: BudgetView, usage: Usage): string =>
  budget.costUsd === null || budget.tokens !== null || usage.tokensUnpriced === 0
    ? ''
    : ', which does not count tokens without a price (--raise-tokens limits those)'

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

type Usage = Costs['usage']

const budgetText = ({
  taskId,
  sessionId,
  budget,
  usage,
}: {
  taskId: number | null
  sessionId: string | null
  budget: BudgetView
  usage: Usage
}): string => `${taskId === null ? sessionId : `Task ${taskId}`} has used ${used(usage)}${standing(budget, usage)}.`
