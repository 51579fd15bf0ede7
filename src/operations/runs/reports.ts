import { z } from 'zod'
import { setAttemptUsage } from '../../db/attempts.ts'
import { recordUsageStep, selectSessionStart } from '../../db/costs.ts'
import type { Db } from '../../db/engine/db.ts'
import { changeRun, selectFork, selectRun, selectRuns, setRunContext, sumOfSession } from '../../db/runs.ts'
import type { AgentRunRow } from '../../db/schema/agents.ts'
import { changeStatus, selectTask } from '../../db/tasks.ts'
import type { ContextUse } from '../../domain/agent/context-health.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { stretchBegin } from '../../domain/session/span.ts'
import { isHeld } from '../../domain/task/task.ts'
import { once } from '../../domain/words/once.ts'
import { checkBudgets } from '../budgets/budgets.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { agentId, lazyObject, taskId, text } from '../perform/schemas.ts'

// The reports of a run while it works: usage, last message, context, output.

const usage = lazyObject(() => ({ tokensIn: z.int(), tokensOut: z.int(), tokensCached: z.int(), costUsd: z.number() }))
const tokens = once(() => usage().omit({ costUsd: true }))
const nothing = { tokensIn: 0, tokensOut: 0, tokensCached: 0, costUsd: 0 }

export const readRun = operation({
  name: 'read_run',
  summary:
    'Read where the output of a run begins, the requested model, and what its session used in earlier runs or before it was copied',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ agentId, run: z.int().min(1) }),
  output: () =>
    z.object({ outputOffset: z.int(), model: z.string().nullable(), earlier: usage(), inherited: tokens() }),
  run: async ({ db }, { agentId, run }) => {
    const row = await selectRun(db, agentId, run)
    if (!row) throw new Refusal('not_found', `Agent ${agentId} has no run ${run}.`)
    const earlier =
      row.resumed === 1 && row.cli_session !== null ? await sumOfSession(db, row.cli_session, row) : nothing
    return { outputOffset: row.output_offset, model: row.model, earlier, inherited: await inheritedBy(db, row) }
  },
})

/** The usage of a conversation before it was copied for the task of a run: some CLIs count it as the usage of the copy. */
const inheritedBy = async (db: Db, row: AgentRunRow): Promise<z.output<ReturnType<typeof tokens>>> => {
  const none = { tokensIn: 0, tokensOut: 0, tokensCached: 0 }
  const fork = row.task_id === null ? undefined : await selectFork(db, row.task_id)
  if (row.task_id === null || fork?.kind !== row.kind) return none
  const first = (await selectRuns(db, { taskId: row.task_id })).find(({ cli_session }) => cli_session !== null)
  const isFirst = first === undefined || (first.agent_id === row.agent_id && first.run === row.run)
  if (!isFirst && first.cli_session !== row.cli_session) return none
  return { tokensIn: fork.tokens_in, tokensOut: fork.tokens_out, tokensCached: fork.tokens_cached }
}

export const readTaskRuns = operation({
  name: 'read_task_runs',
  summary: 'List the runs that were started for a task, oldest first',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ taskId }),
  output: () =>
    z.array(
      z.object({
        kind: z.string(),
        session: z.string().nullable(),
        resumed: z.boolean(),
        problem: z.string().nullable(),
      }),
    ),
  run: async ({ db }, { taskId }) =>
    (await selectRuns(db, { taskId })).map((row) => ({
      kind: row.kind,
      session: row.cli_session,
      resumed: row.resumed === 1,
      problem: row.problem,
    })),
})

export const readFork = operation({
  name: 'read_fork',
  summary: 'Read of which conversation the first run of a task begins with a copy; null for none',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ taskId }),
  output: () => z.object({ agentId: z.string(), kind: z.string(), session: z.string() }).nullable(),
  run: async ({ db }, { taskId }) => {
    const fork = await selectFork(db, taskId)
    return fork ? { agentId: fork.agent_id, kind: fork.kind, session: fork.session } : null
  },
})

export const recordRunReport = operation({
  name: 'record_run_report',
  summary: 'Record the usage, the last message and the context size of a run so far',
  access: 'beat',
  authority: 'system',
  /** Without a report for a kind with plain-text output. */
  input: () =>
    z.strictObject({ agentId, run: z.int().min(1), report: runReport().optional(), use: contextUse().optional() }),
  output: () => z.null(),
  run: async (context, { agentId, run, report, use }) => {
    if (report) await recordReport(context, agentId, run, report)
    if (use) await recordContext(context, agentId, run, use)
    return null
  },
})

/**
 * The usage and report of a run so far, in its own tokens: the usage of earlier runs of a resumed session is
 * subtracted.
 */
export const runReport = lazyObject(() => ({
  model: text(200).nullable(),
  session: text(200).nullable(),
  tokensIn: z.int().min(0),
  tokensOut: z.int().min(0),
  tokensCached: z.int().min(0),
  costUsd: z.number().min(0).nullable(),
  said: text(4000).nullable(),
  problem: text(4000).nullable(),
}))
export type RunReport = z.output<ReturnType<typeof runReport>>

/** The tokens in the context of a run's model now. */
export const contextUse = lazyObject(() => ({ tokens: z.int().min(0), window: z.int().min(1), estimated: z.boolean() }))

export const recordContext = async (
  { db }: Context,
  agentId: string,
  run: number,
  { tokens, window, estimated }: ContextUse,
): Promise<void> => {
  if (await selectRun(db, agentId, run))
    await setRunContext(db, { agent_id: agentId, run, tokens, context_window: window, estimated: estimated ? 1 : 0 })
}

export const recordReport = async (
  context: Context,
  agentId: string,
  run: number,
  report: RunReport,
): Promise<void> => {
  const { db } = context
  const row = await selectRun(db, agentId, run)
  if (!row) return
  const used = { tokens_in: report.tokensIn, tokens_out: report.tokensOut, tokens_cached: report.tokensCached }
  const found = {
    ...used,
    model: report.model ?? row.model,
    cli_session: report.session ?? row.cli_session,
    cost_usd: report.costUsd,
    said: report.said,
    problem: report.problem,
  }
  if (row.task_id !== null && row.attempt !== null)
    await setAttemptUsage(db, row.task_id, row.attempt, {
      tokens_in: report.tokensIn,
      tokens_out: report.tokensOut,
      cost_usd: report.costUsd,
    })
  // A process that begins to follow a run reads again what another one has recorded.
  if (areIn(row, found)) return
  if (!areIn(row, used)) {
    const at = stretchBegin(await selectSessionStart(db, agentId, run), context.now) / 1000
    await recordUsageStep(db, { agent_id: agentId, run, at }, used)
  }
  await changeRun(db, agentId, run, found)
  await checkBudgets(context, { taskId: row.task_id, attempt: row.attempt, agentId })
}

const areIn = <Row extends object>(row: Row, values: Partial<Row>): boolean =>
  (Object.keys(values) as (keyof Row)[]).every((column) => row[column] === values[column])

/** A shell command cannot report; its output is the only sign of progress. */
export const recordOutput = operation({
  name: 'record_output',
  summary: 'Record the output of a command as progress of its task',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ taskId, agentId, writtenAt: z.iso.datetime() }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async ({ db, now }, { taskId, agentId, writtenAt }) => {
    const task = await selectTask(db, taskId)
    // Output from before the start belongs to an earlier attempt.
    if (
      !task ||
      !isHeld(task.status) ||
      task.assigned_agent_id !== agentId ||
      writtenAt <= (task.progressed_at ?? task.started_at ?? now)
    )
      return { recorded: false }
    const { status, attempt } = task
    return {
      recorded: await changeStatus(
        db,
        taskId,
        { status, attempt, agentId },
        { progressed_at: writtenAt < now ? writtenAt : now, changed_at: now },
      ),
    }
  },
  subject: () => null,
})
