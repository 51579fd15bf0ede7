import { z } from 'zod'
import type { SessionRow } from '../../db/schema/schema.ts'
import { sessionStates } from '../../domain/session/session.ts'
import { lazyObject, parsed } from '../perform/schemas.ts'

export const sessionView = lazyObject(() => ({
  id: z.string(),
  goal: z.string().nullable(),
  status: z.enum(sessionStates),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  pausedAt: z.string().nullable(),
  summary: z.unknown(),
}))
type SessionView = z.output<ReturnType<typeof sessionView>>

export const viewSession = (row: SessionRow): SessionView => ({
  id: row.id,
  goal: row.goal,
  status: row.status,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  pausedAt: row.paused_at,
  summary: parsed(row.summary),
})
