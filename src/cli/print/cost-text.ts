import { budgetWords, limitWords, usedWords } from '../../domain/budget/budget.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { clockMinute, type Instant } from '../../domain/words/time.ts'
import type { BudgetView } from '../../operations/budgets/budgets.ts'
import type { Costs } from '../../operations/budgets/read-costs.ts'
import { blocks, section } from './columns.ts'

type Usage = Costs['usage']

export const costText = ({ sessionId, usage, budget, agents, tasks, kinds, sleeps }: Costs, now: Instant): string =>
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

export const budgetText = ({
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
