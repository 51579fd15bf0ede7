import { budgetWords, limitWords, type Usage, usageOfRun, usedWords } from '../../../domain/budget/budget.ts'
import { ours, type SafeText, safeText } from '../../../domain/words/safe-text.ts'
import { clockTime, duration, elapsed } from '../../../domain/words/time.ts'
import type { BudgetView } from '../../../operations/budgets/budgets.ts'
import { fact, heading, longFact, paragraph, widthIn } from '../../rows/lines.ts'
import { agentOf, taskOf } from '../../core/selection.ts'
import type { SheetContent } from '../../core/registry.ts'
import { sheetOfLines } from '../../core/overlays.ts'
import type { ConsoleState } from '../../core/state.ts'
import { type BudgetOverlay, shownBudget } from './budget.ts'
import { budgetSheetText } from '../../../text/inbox.ts'
import { commonText } from '../../../text/common.ts'

/** Everything a person needs to decide whether it continues. */
export const budgetSheet = (state: ConsoleState, { taskId }: BudgetOverlay): SheetContent | undefined => {
  const item = shownBudget(state)
  if (!item) return undefined
  const width = widthIn(state)
  const detail = taskId !== null && state.detail?.id === taskId ? state.detail : null
  const task = taskOf(state, taskId)
  const agent = agentOf(state, task?.assignedAgentId ?? null)
  const { usage, budget }: { usage: Usage; budget: BudgetView } | { usage: null; budget: null } =
    taskId === null ? state.board : (detail ?? { usage: null, budget: null })
  return sheetOfLines(ours(budgetSheetText.title(taskId)), [
    ...paragraph(item.text, width),
    ...paragraph(item.evidence, width),
    ...heading(budgetSheetText.cost),
    ...(usage === null
      ? []
      : [
          ...longFact(budgetSheetText.facts.used, usedWords(usage), width),
          ...fact(budgetSheetText.facts.budget, limitWords(budget)),
          ...longFact(budgetSheetText.facts.soFar, budgetWords(budget, usage), width),
        ]),
    ...fact(budgetSheetText.facts.task, task ? safeText(task.title) : null),
    ...fact(
      budgetSheetText.facts.agent,
      agent ? `${agent.id}, ${agent.kind}${agent.pausedAt === null ? '' : budgetSheetText.paused}` : null,
    ),
    ...fact(
      budgetSheetText.facts.asked,
      commonText.ago(clockTime(item.since), duration(elapsed(item.since, state.now))),
    ),
    ...(detail && detail.attempts.length > 0 ? heading(budgetSheetText.attempts) : []),
    ...(detail?.attempts ?? []).flatMap((attempt) =>
      paragraph(
        `${attempt.attempt}. ${attempt.agentId} ${attempt.outcome ?? commonText.underWay} ${usedWords(usageOfRun(attempt))}`,
        width,
      ),
    ),
    ...heading(budgetSheetText.answers),
    ...paragraph(budgetSheetText.raise, width),
    ...paragraph(budgetSheetText.lift, width),
    ...paragraph(budgetSheetText.stop(taskId), width),
  ])
}

/** The present effects of the keys, in words. */
export const answersToBudget = (state: ConsoleState): SafeText =>
  ours(shownBudget(state) ? budgetSheetText.keys : budgetSheetText.isAnswered)
