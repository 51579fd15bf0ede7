import { z } from 'zod'
import { type ExecutionRow, executions } from '../../db/dual-memory.ts'
import { errors, limit, messageId, retrieve, userId } from './dual-memory.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'

const found = lazyObject(() => ({
  messageId: z.string(),
  at: z.string(),
  summary: z.string(),
  toolsUsed: z.array(z.string()),
  errors: errors(),
  observations: z.string(),
  success: z.boolean(),
  durationMs: z.int().nullable(),
  /** The rank of the match, lower is better; null if it was requested by id. */
  rank: z.number().nullable(),
}))

export const retrieveExecution = operation({
  name: 'retrieve_execution',
  summary: 'Find stored executions by words or message id',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      userId,
      query: z.string(),
      /** Requests one by its id; the search words are then ignored. */
      messageId: messageId.optional(),
      limit,
    }),
  output: () => z.object({ total: z.int(), executions: z.array(found()) }),
  run: async ({ db }, input) => {
    const { total, rows } = await retrieve(db, executions, input)
    return { total, executions: rows.map(view) }
  },
})

const view = ({
  rank,
  ...row
}: ExecutionRow & { readonly rank: number | null }): z.output<ReturnType<typeof found>> => ({
  messageId: row.message_id,
  at: row.at,
  summary: row.execution_summary,
  toolsUsed: JSON.parse(row.tools_used) as string[],
  errors: JSON.parse(row.errors) as z.output<ReturnType<typeof errors>>,
  observations: row.observations,
  success: row.success === 1,
  durationMs: row.duration_ms,
  rank,
})
