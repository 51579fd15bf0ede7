import { budgetWords, limitWords, type Usage, usageOfRun, usedWords } from '../../../domain/budget/budget.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { clockTime, duration, elapsed } from '../../../domain/words/time.ts'
import type { BudgetView } from '../../../operations/budgets/budgets.ts'
import type { Attention } from '../../../operations/screens/attention.ts'
import { commonText } from '../../../text/common.ts'
import { budgetSheetText, budgetText } from '../../../text/inbox.ts'
import { modeText } from '../../../text/keys.ts'
import { giveBudget, stopFor } from '../../actions/budget.ts'
import type { Controller } from '../../core/controller.ts'
import { open, sheetOfLines } from '../../core/overlays.ts'
import type { ReadView, SheetContent } from '../../core/registry.ts'
import { agentOf, taskOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { selectTask } from '../../panes/movement.ts'
import { fact, heading, longFact, paragraph, widthIn } from '../../rows/lines.ts'

// From `w` to the answer whether something that has used its budget up goes on.

interface BudgetOverlay {
  readonly kind: 'budget'
  /** Null for the session. */
  readonly taskId: number | null
  readonly top: number
}

const whyNotBudget = (state: ConsoleState): string | undefined =>
  shownBudget(state) ? undefined : budgetText.nobodyAsked

const raiseBudget = (controller: Controller): void =>
  giveBudget(controller, shownBudget(controller.state())!, { kind: 'raise' })

const liftBudget = (controller: Controller): void =>
  giveBudget(controller, shownBudget(controller.state())!, { kind: 'none' })

const stopOverBudget = (controller: Controller): void => stopFor(controller, shownBudget(controller.state())!)

/** Everything a person needs to decide whether it continues. */
const budgetSheet = (state: ConsoleState, { taskId }: BudgetOverlay): SheetContent | undefined => {
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
const answersToBudget = (state: ConsoleState): SafeText =>
  ours(shownBudget(state) ? budgetSheetText.keys : budgetSheetText.isAnswered)

// prettier-ignore
export const budget: ReadView<BudgetOverlay> = {
  kind: 'budget',
  title: modeText.budget,
  manner: 'reading',
  keys: [
    { id: 'raise-budget', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, blocked: whyNotBudget, press: raiseBudget },
    { id: 'lift-budget', keys: ['a'], shown: 'a', writes: true, answers: true, footer: true, blocked: whyNotBudget, press: liftBudget },
    { id: 'stop-over-budget', keys: ['x'], shown: 'x', writes: true, answers: true, footer: true, blocked: whyNotBudget, press: stopOverBudget },
  ],
  also: ['next', 'inbox'],
  empty: {},
  dialog: true,
  content: budgetSheet,
  answer: { line: answersToBudget, ready: (state) => shownBudget(state) !== undefined },
  click: null,
  about: {
    has: ({ kind, requestId }) => kind === 'budget' && requestId === null,
    open: (controller, item, before) => {
      controller.change(before)
      showBudget(controller, item)
    },
  },
  asks: () => true,
  shows: (_, { taskId }, item) => item.kind === 'budget' && taskId === item.taskId,
}

/** Selects the task and shows what it has cost. Answering is another key, pressed once it can be read. */
const showBudget = (controller: Controller, { taskId }: Pick<Attention, 'taskId'>): void => {
  if (taskId !== null) controller.change(selectTask(taskId))
  controller.change(open({ kind: 'budget', taskId, top: 0 }))
}

/** The budget question in the front overlay; undefined once it is answered. */
const shownBudget = ({ board, view: { overlay } }: ConsoleState): Attention | undefined =>
  overlay?.kind === 'budget'
    ? board.attention.find((item) => item.kind === 'budget' && item.taskId === overlay.taskId)
    : undefined
