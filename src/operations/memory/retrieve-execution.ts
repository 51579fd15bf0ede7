import { z } from 'zod'
import { countExecutions, type ExecutionRow, searchExecutions, selectExecution } from '../../db/executions.ts'
import { errors, limit, messageId, userId } from './dual-memory.ts'
import { operation } from '../door/operation.ts'

const found = z.object({
  messageId: z.string(),
  at: z.string(),
  summary: z.string(),
  toolsUsed: z.array(z.string()),
  errors,
  observations: z.string(),
  success: z.boolean(),
  durationMs: z.int().nullable(),
  /** The rank of the match, lower is better; null if it was requested by id. */
  rank: z.number().nullable(),
})

export const retrieveExecution = operation({
  name: 'retrieve_execution',
  summary: 'Find stored executions by words or message id',
  access: 'read',
  authority: 'anyone',
  input: z.strictObject({
    userId,
    query: z.string(),
    /** Requests one by its id; the search words are then ignored. */
    messageId: messageId.optional(),
    limit,
  }),
  output: z.object({ total: z.int(), executions: z.array(found) }),
  run: async ({ db }, { messageId, limit, ...search }) => {
    if (messageId !== undefined) {
      const row = await selectExecution(db, search.userId, messageId)
      return row ? { total: 1, executions: [view(row, null)] } : { total: 0, executions: [] }
    }
    const rows = await searchExecutions(db, search, limit)
    return { total: rows.length < limit ? rows.length : await countExecutions(db, search), executions: rows.map((row) => view(row, row.rank)) }
  },
})

const view = (row: ExecutionRow, rank: number | null): z.output<typeof found> => ({
  messageId: row.message_id,
  at: row.at,
  summary: row.execution_summary,
  toolsUsed: JSON.parse(row.tools_used) as string[],
  errors: JSON.parse(row.errors) as z.output<typeof errors>,
  observations: row.observations,
  success: row.success === 1,
  durationMs: row.duration_ms,
  rank,
})
