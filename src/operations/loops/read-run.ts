import { z } from 'zod'
import { selectFork, selectRun, selectRuns, sumOfSession } from '../../db/runs.ts'
import type { Db } from '../../db/engine/db.ts'
import type { AgentRunRow } from '../../db/schema/agents.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { agentId, lazyObject, taskId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { once } from '../../domain/words/once.ts'

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
