import { z } from 'zod'
import { type ExecutionRow, executions, insertExecution, type NewExecution } from '../../db/dual-memory.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'
import {
  errors,
  jsonOf,
  limit,
  messageId,
  metaData,
  retrieve,
  saidText,
  saysTheSame,
  stored,
  storeOnce,
  userId,
} from './dual-memory.ts'

export const addExecution = operation({
  name: 'add_execution',
  summary: 'Store what was done for a message: tools, errors, observations',
  access: 'write',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      userId,
      messageId,
      summary: saidText,
      toolsUsed: z.array(z.string()),
      errors: errors(),
      observations: saidText,
      success: z.boolean(),
      durationMs: z.int().min(0).optional(),
      at: z.string().optional(),
      metaData: metaData.optional(),
    }),
  output: stored,
  run: async ({ db, now }, input) => {
    const row = {
      user_id: input.userId,
      message_id: input.messageId,
      at: input.at ?? now,
      recorded_at: now,
      success: input.success ? 1 : 0,
      duration_ms: input.durationMs ?? null,
      execution_summary: input.summary,
      observations: input.observations,
      tools_used: JSON.stringify(input.toolsUsed),
      errors: JSON.stringify(input.errors),
      meta_data: jsonOf(input.metaData),
    }
    return storeOnce(db, 'execution', row, input.at, { insert: insertExecution, reader: executions, isSame })
  },
  subject: ({ stored }) => (stored ? {} : null),
})

const isSame = (first: ExecutionRow, row: NewExecution): boolean =>
  first.execution_summary === row.execution_summary &&
  first.observations === row.observations &&
  first.success === row.success &&
  (first.duration_ms ?? 0) === (row.duration_ms ?? 0) &&
  (['tools_used', 'errors', 'meta_data'] as const).every((column) => saysTheSame(first[column], row[column]))

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
