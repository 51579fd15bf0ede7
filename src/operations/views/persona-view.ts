import { z } from 'zod'
import type { PersonaRow } from '../../db/schema/schema.ts'
import { lazyObject } from '../perform/schemas.ts'

export const personaView = lazyObject(() => ({
  id: z.string(),
  name: z.string(),
  role: z.enum(['planner', 'worker', 'person']),
  definition: z.string(),
  source: z.enum(['built-in', 'file', 'set']),
  createdAt: z.string(),
  updatedAt: z.string(),
}))
export type PersonaView = z.output<ReturnType<typeof personaView>>

export const viewPersona = (row: PersonaRow): PersonaView => ({
  id: row.id,
  name: row.name,
  role: row.role,
  definition: row.definition,
  source: row.source,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
