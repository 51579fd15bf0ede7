import { z } from 'zod'
import { findPersona } from './kernel/find.ts'
import { personaId } from './kernel/inputs.ts'
import { operation } from './kernel/operation.ts'
import { personaView, viewPersona } from './kernel/persona-view.ts'

export const getPersona = operation({
  name: 'get_persona',
  summary: 'Show one persona',
  access: 'read',
  authority: 'anyone',
  input: z.strictObject({ personaId }),
  output: personaView,
  run: async ({ db }, input) => viewPersona(await findPersona(db, input.personaId)),
})
