import { z } from 'zod'
import type { EventRow } from '../../db/schema/schema.ts'
import { lazyObject, parsed } from '../perform/schemas.ts'

export const eventView = lazyObject(() => ({
  id: z.int(),
  at: z.string(),
  actor: z.string(),
  operation: z.string(),
  taskId: z.int().nullable(),
  agentId: z.string().nullable(),
  worktree: z.string().nullable(),
  details: z.unknown(),
}))
export type EventView = z.output<ReturnType<typeof eventView>>

export const viewEvent = (row: EventRow): EventView => ({
  id: row.id,
  at: row.at,
  actor: row.actor,
  operation: row.operation,
  taskId: row.task_id,
  agentId: row.agent_id,
  worktree: row.worktree,
  details: parsed(row.details),
})
