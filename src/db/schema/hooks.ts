import type { Generated, Insertable, Selectable } from 'kysely'
import type { HookEvent } from '../../domain/settings/hooks.ts'
import type { Instant } from '../../domain/words/time.ts'

// The columns of migrations/003_Hooks.sql.

export interface HooksTable {
  key: string
  event: HookEvent
  after_event: number
  seen_at: Instant
}

export interface HookDeliveriesTable {
  id: string
  hook: string
  event_id: number
  task_id: number | null
  worktree: string | null
  payload: string
  planned_at: Instant
  tries: Generated<number>
  next_try_at: Instant | null
  last_error: string | null
  delivered_at: Instant | null
  given_up_at: Instant | null
}

export type HookRow = Selectable<HooksTable>
export type HookDeliveryRow = Selectable<HookDeliveriesTable>
export type NewHookDelivery = Insertable<HookDeliveriesTable>
