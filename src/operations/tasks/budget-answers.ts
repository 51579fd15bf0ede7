import { z } from 'zod'
import { changeAgent, selectAgent } from '../../db/agents.ts'
import { selectLatestRace } from '../../db/races.ts'
import { changeSession, selectRunningSession } from '../../db/sessions.ts'
import {
  type Budget,
  budgetWords,
  isPassed,
  limitWords,
  noLimits,
  raised,
  type Usage,
} from '../../domain/budget/budget.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { isHeld, isOver, whyRaced } from '../../domain/task/task.ts'
import { once } from '../../domain/words/once.ts'
import type { Instant } from '../../domain/words/time.ts'
import {
  budgetOfSession,
  budgetOfTask,
  budgetView,
  saveSessionBudget,
  saveTaskBudget,
  type Standing,
  usageOfSession,
  usageOfTask,
  viewBudget,
} from '../budgets/budgets.ts'
import type { Context } from '../perform/core.ts'
import { findTask, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { taskId } from '../perform/schemas.ts'
import { resetProgress } from '../requests/requests.ts'
import { usageView } from '../views/usage.ts'
import { cancelTask } from './attempts.ts'

const answer = once(() =>
  z.discriminatedUnion('kind', [
    /** Raises by so many dollars or tokens; without either by the original amount. */
    z.strictObject({
      kind: z.literal('raise'),
      costUsd: z.number().positive().max(1e9).optional(),
      tokens: z.int().positive().optional(),
    }),
    z.strictObject({ kind: z.literal('none') }),
    /** Cancels the task; for a session, starts nothing more. */
    z.strictObject({ kind: z.literal('stop') }),
  ]),
)
export type BudgetAnswer = z.output<ReturnType<typeof answer>>

export const answerBudget = operation({
  name: 'answer_budget',
  summary: 'Raise or remove the budget of a task or of the running session, or stop the work',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () =>
    z.strictObject({
      taskId: taskId.optional().describe('Default: the session'),
      answer: answer(),
      askedAt: z.string().optional().describe('When the question was asked; nothing is done if it was answered since'),
    }),
  output: () =>
    z.object({
      taskId: z.int().nullable(),
      sessionId: z.string().nullable(),
      stopped: z.string().nullable(),
      budget: budgetView(),
      usage: usageView(),
    }),
  run: (context, input) =>
    input.taskId === undefined ? answerForSession(context, input) : answerForTask(context, input.taskId, input),
  subject: ({ taskId, budget }, { answer }) => ({
    taskId,
    details: { answer: answer.kind, costUsd: budget.costUsd, tokens: budget.tokens },
  }),
  wish: ({ stopped }) => (stopped === null ? undefined : { kind: 'stop_agent', agentId: stopped }),
})

interface Answered {
  readonly answer: BudgetAnswer
  readonly askedAt?: Instant | undefined
}

const answerForTask = async (context: Context, id: number, { answer: given, askedAt }: Answered) => {
  const task = await findTask(context.db, id)
  const usage = await usageOfTask(context, id)
  const before = await budgetOfTask(context, id)
  refuseAnswered(before, askedAt, `of task ${id}`)
  const after = answered(before, usage, given)
  await saveTaskBudget(context, id, after)
  let stopped: string | null = null
  if (given.kind === 'stop') {
    if ((await selectLatestRace(context.db, id))?.ended_at === null) throw new Refusal('invalid_state', whyRaced(id))
    if (isOver(task.status)) throw new Refusal('invalid_state', `Task ${id} has ended; there is nothing to stop.`)
    await cancelTask(
      context,
      task,
      `stopped because of its budget: ${budgetWords(before.budget, usage) || 'it had none'}`,
    )
    if (isHeld(task.status)) stopped = await stopRun(context, task.assigned_agent_id!, id)
  } else await resetProgress(context, id)
  return { taskId: id, sessionId: null, stopped, budget: viewBudget(after), usage }
}

const answerForSession = async (context: Context, { answer: given, askedAt }: Answered) => {
  const { db, now } = context
  const session = await selectRunningSession(db)
  if (!session)
    throw new Refusal(
      'not_found',
      "No session is running. The budget of the next one is 'budget.session' in .aiswarm/config.yaml.",
    )
  const usage = await usageOfSession(context, session.id)
  const before = await budgetOfSession(context, session.id)
  refuseAnswered(before, askedAt, 'of the session')
  const after = answered(before, usage, given)
  await saveSessionBudget(context, session.id, after)
  if (given.kind === 'stop')
    must(
      await changeSession(db, session.id, 'running', { paused_at: session.paused_at ?? now }),
      `Session ${session.id}`,
    )
  return { taskId: null, sessionId: session.id, stopped: null, budget: viewBudget(after), usage }
}

/** Two answers to the same question would raise the budget twice. */
const refuseAnswered = (before: Standing, askedAt: Instant | undefined, whose: string): void => {
  if (askedAt !== undefined && askedAt !== before.askedAt)
    throw new Refusal(
      'invalid_state',
      `The budget ${whose} was just answered: it is ${limitWords(before.budget)}. Nothing was changed.`,
    )
}

const answered = ({ budget }: Standing, used: Usage, given: BudgetAnswer): Standing => {
  if (given.kind === 'stop') return { budget, askedAt: null }
  if (given.kind === 'none') return { budget: { ...noLimits, step: noLimits }, askedAt: null }
  if (budget.costUsd === null && budget.tokens === null && given.costUsd === undefined && given.tokens === undefined) {
    throw new Refusal('invalid_state', 'It has no budget to raise. Name an amount.')
  }
  const after = given.costUsd === undefined && given.tokens === undefined ? raised(budget, used) : plus(budget, given)
  if (isPassed(after, used))
    throw new Refusal('invalid_input', `That budget is already used up: ${budgetWords(after, used)}. Raise it by more.`)
  return { budget: after, askedAt: null }
}

const plus = (
  { costUsd, tokens, step }: Budget,
  by: { costUsd?: number | undefined; tokens?: number | undefined },
): Budget => ({
  costUsd: by.costUsd === undefined ? costUsd : (costUsd ?? 0) + by.costUsd,
  tokens: by.tokens === undefined ? tokens : (tokens ?? 0) + by.tokens,
  step: { costUsd: step.costUsd ?? by.costUsd ?? null, tokens: step.tokens ?? by.tokens ?? null },
})

/** Stops the process that was started for it; a paused one is continued first, so that TERM reaches it. */
const stopRun = async ({ db, now }: Context, agentId: string, id: number): Promise<string | null> => {
  const agent = await selectAgent(db, agentId)
  if (!agent || agent.task_id !== id || !['wanted', 'started'].includes(agent.process)) return null
  must(
    await changeAgent(
      db,
      agentId,
      { run: agent.run },
      { stop_requested_at: now, stop_reason: `task ${id} was stopped because of its budget` },
    ),
    `Agent ${agentId}`,
  )
  return agentId
}
