import { z } from 'zod'
import type { Db } from '../../db/engine/db.ts'
import { selectMessages } from '../../db/messages.ts'
import { selectRequests } from '../../db/requests.ts'
import { selectRuns } from '../../db/runs.ts'
import type { AgentRunRow } from '../../db/schema/agents.ts'
import { messageView, viewMessage } from '../messages/messages.ts'
import { findAgent, findTask } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId, lazyObject, taskId } from '../perform/schemas.ts'
import { requestView, viewRequest } from '../requests/requests.ts'

/** A run of a conversation, and its part of the agent's output: from a byte on, up to another one that is known. */
const conversationRun = lazyObject(() => ({
  agentId: z.string(),
  run: z.int(),
  taskId: z.int().nullable(),
  attempt: z.int().nullable(),
  kind: z.string(),
  model: z.string().nullable(),
  resumed: z.boolean(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  exitCode: z.int().nullable(),
  tokensIn: z.int(),
  tokensOut: z.int(),
  tokensCached: z.int(),
  costUsd: z.number().nullable(),
  from: z.int(),
  until: z.int().nullable(),
}))
export type ConversationRun = z.output<ReturnType<typeof conversationRun>>

/** The newest messages of an agent. */
const MOST = 500

export const readConversation = operation({
  name: 'read_conversation',
  summary: 'Read which runs a conversation with an agent, or about a task, consists of, with messages and requests',
  access: 'read',
  authority: 'person',
  input: () => z.union([z.strictObject({ agentId }), z.strictObject({ taskId })]),
  output: () =>
    z.object({
      runs: z.array(conversationRun()),
      messages: z.array(messageView()),
      requests: z.array(requestView()),
    }),
  run: async ({ db }, about) => {
    if ('agentId' in about) await findAgent(db, about.agentId)
    else await findTask(db, about.taskId)
    const runs = await selectRuns(db, about)
    const agents = [...new Set(runs.map((run) => run.agent_id).concat('agentId' in about ? [about.agentId] : []))]
    const ofAgents = new Map(
      await Promise.all(agents.map(async (agentId) => [agentId, await selectRuns(db, { agentId })] as const)),
    )
    return {
      runs: runs.map((run) => viewRun(run, ofAgents.get(run.agent_id)!)),
      messages: (await Promise.all(agents.map((agentId) => selectMessages(db, { agentId, limit: MOST }))))
        .flat()
        .map(viewMessage),
      requests: (await requestsOf(db, agents)).map(viewRequest),
    }
  },
})

const requestsOf = async (db: Db, agents: readonly string[]) =>
  (await Promise.all(agents.map((agentId) => selectRequests(db, { agentId })))).flat()

const viewRun = (row: AgentRunRow, ofAgent: readonly AgentRunRow[]): ConversationRun => ({
  agentId: row.agent_id,
  run: row.run,
  taskId: row.task_id,
  attempt: row.attempt,
  kind: row.kind,
  model: row.model,
  resumed: row.resumed === 1,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  exitCode: row.exit_code,
  tokensIn: row.tokens_in,
  tokensOut: row.tokens_out,
  tokensCached: row.tokens_cached,
  costUsd: row.cost_usd,
  from: row.output_offset,
  until: ofAgent.find(({ run }) => run === row.run + 1)?.output_offset ?? null,
})
