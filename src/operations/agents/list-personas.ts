import { z } from 'zod'
import { selectPersonas } from '../../db/agents.ts'
import { operation } from '../perform/operation.ts'
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
