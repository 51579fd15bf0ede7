import { z } from 'zod'
import { changeRun, selectRun, setRunContext } from '../../db/runs.ts'
import { setAttemptUsage } from '../../db/attempts.ts'
import { recordUsageStep, selectSessionStart } from '../../db/costs.ts'
import type { ContextUse } from '../../domain/agent/context-health.ts'
import { stretchBegin } from '../../domain/session/span.ts'
import { checkBudgets } from '../budgets/budgets.ts'
import type { Context } from '../perform/core.ts'
import { lazyObject, text } from '../perform/schemas.ts'

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
