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

/** The columns of migrations/045_Forks.sql. */
export interface ForksTable {
  task_id: number
  agent_id: string
  kind: string
  session: string
  /** The usage of that session when it was copied. */
  tokens_in: number
  tokens_out: number
  tokens_cached: number
}

export type ForkRow = Selectable<ForksTable>
export type RaceRow = Selectable<RacesTable>
export type RacerRow = Selectable<RacersTable>
