import { budgetWords, limitWords, type Usage, usedWords } from '../../domain/budget.ts'
import { ours, type SafeText, safeText } from '../../domain/safe-text.ts'
import { clockTime, duration, elapsed } from '../../domain/time.ts'
import type { BudgetView } from '../../operations/kernel/budgets.ts'
import { fact, heading, paragraph, widthIn } from '../detail-lines.ts'
import { agentOf, taskOf } from '../selection.ts'
import { type SheetContent, sheetOfLines } from '../sheets.ts'
import type { ConsoleState } from '../state.ts'
import { type BudgetOverlay, shownBudget } from './budget.ts'

/** All that a person needs to know to say whether it goes on. */
export const budgetSheet = (state: ConsoleState, { taskId }: BudgetOverlay): SheetContent | undefined => {
  const item = shownBudget(state)
  if (!item) return undefined
  const width = widthIn(state)
  const detail = taskId !== null && state.detail?.id === taskId ? state.detail : null
  const task = taskOf(state, taskId)
  const agent = agentOf(state, task?.assignedAgentId ?? null)
  const { usage, budget }: { usage: Usage; budget: BudgetView } | { usage: null; budget: null } = taskId === null ? state.board : (detail ?? { usage: null, budget: null })
  return sheetOfLines(ours(taskId === null ? 'The session has used up its budget' : `Task ${taskId} has used up its budget`), [
    ...paragraph(item.text, width),
    ...paragraph(item.evidence, width),
    ...heading('What it has cost'),
    ...(usage === null ? [] : [...fact('used', usedWords(usage)), ...fact('budget', limitWords(budget)), ...fact('so far', budgetWords(budget, usage))]),
    ...fact('task', task ? safeText(task.title) : null),
    ...fact('agent', agent ? `${agent.id}, ${agent.kind}${agent.pausedAt === null ? '' : ', paused'}` : null),
    ...fact('asked', `${clockTime(item.since)}, ${duration(elapsed(item.since, state.now))} ago`),
    ...(detail && detail.attempts.length > 0 ? heading('Attempts') : []),
    ...(detail?.attempts ?? []).flatMap((attempt) => {
      const { tokensIn, tokensOut, costUsd, outcome } = attempt
      return paragraph(
        `${attempt.attempt}. ${attempt.agentId} ${outcome ?? 'under way'} ${usedWords({ tokensIn: tokensIn ?? 0, tokensOut: tokensOut ?? 0, tokensCached: 0, costUsd })}`,
        width,
      )
    }),
    ...heading('Answers'),
    ...paragraph('y raises the budget by as much as it was at first, until it is enough again.', width),
    ...paragraph('a takes the limit away.', width),
    ...paragraph(taskId === null ? 'x starts nothing more; what runs goes on.' : 'x cancels the task and stops its agent; you are asked once more.', width),
  ])
}

/** What the keys do now, in words. */
export const answersToBudget = (state: ConsoleState): SafeText => ours(shownBudget(state) ? 'y raises it   a no limit   x stops   esc leaves it' : 'it is answered   esc back')
