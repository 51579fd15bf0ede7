import { z } from 'zod'
import { findPersona } from '../door/find.ts'
import { personaId } from '../door/inputs.ts'
import { operation } from '../door/operation.ts'
import { personaView, viewPersona } from '../views/persona-view.ts'

export const getPersona = operation({
  name: 'get_persona',
  summary: 'Show one persona',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ personaId }),
  output: personaView,
  run: async ({ db }, input) => viewPersona(await findPersona(db, input.personaId)),
})
