import { z } from 'zod'
import { insertSession, selectRunningSession, selectSession } from '../../db/sessions.ts'
import { later, sessionId } from '../../domain/words/time.ts'
import { text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { sessionView, viewSession } from '../views/sessions.ts'

export const beginSession = operation({
  name: 'begin_session',
  summary: 'Start a session, or continue the running one',
  access: 'write',
  authority: 'person',
  input: () => z.strictObject({ goal: text(20_000).optional() }),
  output: () => sessionView().extend({ begun: z.boolean() }),
  run: async ({ db, now }, { goal }) => {
    const running = await selectRunningSession(db)
    if (running) return { ...viewSession(running), begun: false }
    // Ids have a resolution of seconds; a session begun in the same second as another gets the next one.
    let id = sessionId(now)
    for (let second = 1; await selectSession(db, id); second++) id = sessionId(later(now, second * 1000))
    await insertSession(db, { id, goal: goal ?? null, started_at: now })
    return { ...viewSession((await selectSession(db, id))!), begun: true }
  },
  subject: ({ begun, id }) => (begun ? { details: { session: id } } : null),
})
