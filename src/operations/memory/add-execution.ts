import { z } from 'zod'
import { type ExecutionRow, executions, insertExecution, type NewExecution } from '../../db/dual-memory.ts'
import { errors, jsonOf, messageId, metaData, saidText, saysTheSame, stored, storeOnce, userId } from './dual-memory.ts'
import { operation } from '../perform/operation.ts'

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
