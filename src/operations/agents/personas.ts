import { z } from 'zod'
import { selectPersona, selectPersonas, upsertPersona } from '../../db/agents.ts'
import { checkId } from '../../domain/rules/names.ts'
import { findPersona } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { personaId, text } from '../perform/schemas.ts'
import { personaView, viewPersona } from '../views/agents.ts'

export const listPersonas = operation({
  name: 'get_personas',
  summary: 'List the personas that tasks and agents can have',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () => z.array(personaView()),
  run: async ({ db }) => (await selectPersonas(db)).map(viewPersona),
})

export const getPersona = operation({
  name: 'get_persona',
  summary: 'Show one persona',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ personaId }),
  output: personaView,
  run: async ({ db }, input) => viewPersona(await findPersona(db, input.personaId)),
})

export const setPersona = operation({
  name: 'set_persona',
  summary: 'Create a persona or change its definition',
  access: 'write',
  authority: 'person',
  input: () =>
    z.strictObject({
      id: z.string(),
      name: z.string().trim().min(1).max(100).optional(),
      role: z.enum(['planner', 'worker']).optional(),
      definition: text(200_000).trim().min(1, 'the definition is empty'),
    }),
  output: personaView,
  run: async ({ db, now }, input) => {
    checkId('persona', input.id)
    const old = await selectPersona(db, input.id)
    await upsertPersona(db, {
      id: input.id,
      name: input.name ?? old?.name ?? input.id,
      role: input.role ?? old?.role ?? 'worker',
      definition: input.definition,
      source: 'set',
      // A file that was read before does not override the person's change until the file changes.
      source_hash: old?.source_hash ?? null,
      created_at: old?.created_at ?? now,
      updated_at: now,
    })
    return viewPersona(await findPersona(db, input.id))
  },
  subject: (persona) => ({ details: { persona: persona.id } }),
})
