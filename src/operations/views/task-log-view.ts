import { z } from 'zod'
import type { TaskLogRow } from '../../db/schema/tasks.ts'
import { lazyObject } from '../perform/schemas.ts'

export const taskLogView = lazyObject(() => ({
  id: z.int(),
  taskId: z.int(),
  agentId: z.string(),
  level: z.enum(['debug', 'info', 'warn', 'error']),
  message: z.string(),
  attempt: z.int().nullable(),
  percent: z.int().nullable(),
  loggedAt: z.string(),
}))
export type TaskLogView = z.output<ReturnType<typeof taskLogView>>

export const viewTaskLog = (row: TaskLogRow): TaskLogView => ({
  id: row.id,
  taskId: row.task_id,
  agentId: row.agent_id,
  level: row.level,
  message: row.message,
  attempt: row.attempt,
  percent: row.percent,
  loggedAt: row.logged_at,
})
