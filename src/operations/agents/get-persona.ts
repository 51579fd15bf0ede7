import { z } from 'zod'
import { findPersona } from '../perform/find.ts'
import { personaId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { personaView, viewPersona } from '../views/agents.ts'

export const getPersona = operation({
  name: 'get_persona',
  summary: 'Show one persona',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ personaId }),
  output: personaView,
  run: async ({ db }, input) => viewPersona(await findPersona(db, input.personaId)),
})
