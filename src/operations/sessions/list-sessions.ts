import { z } from 'zod'
import { selectSessions } from '../../db/sessions.ts'
import { operation } from '../perform/operation.ts'
import { sessionView, viewSession } from '../views/sessions.ts'

export const listSessions = operation({
  name: 'list_sessions',
  summary: 'List the sessions, latest first',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ limit: z.int().min(1).max(1000).default(100) }),
  output: () => z.array(sessionView()),
  run: async ({ db }, { limit }) => (await selectSessions(db, limit)).map(viewSession),
})
