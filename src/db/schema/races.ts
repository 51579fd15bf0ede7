import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../../domain/words/time.ts'

/** The columns of migrations/043_Races.sql. */
export interface RacesTable {
  id: Generated<number>
  task_id: number
  started_by: string
  started_at: Instant
  ended_at: Instant | null
  picked: number | null
}

export interface RacersTable {
  race_id: number
  position: number
  task_id: number
  worktree: string
  kind: string
  model: string | null
}

export type RaceRow = Selectable<RacesTable>
export type RacerRow = Selectable<RacersTable>
