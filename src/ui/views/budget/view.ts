import { modeText } from '../../../text/keys.ts'
import {
  type BudgetOverlay,
  liftBudget,
  raiseBudget,
  showBudget,
  shownBudget,
  stopOverBudget,
  whyNotBudget,
} from './budget.ts'
import { answersToBudget, budgetSheet } from './lines.ts'
import type { ReadView } from '../../core/registry.ts'

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
