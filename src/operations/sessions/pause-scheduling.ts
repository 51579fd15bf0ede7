import { z } from 'zod'
import { changeSession, selectRunningSession, selectSession } from '../../db/sessions.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { sessionView, viewSession } from '../views/sessions.ts'

export const pauseScheduling = operation({
  name: 'pause_scheduling',
  summary: 'Pause or resume scheduling; running agents continue',
  access: 'write',
  authority: 'person',
  input: () => z.strictObject({ paused: z.boolean() }),
  output: sessionView,
  run: async ({ db, now }, { paused }) => {
    const session = await selectRunningSession(db)
    if (!session) throw new Refusal('not_found', 'There is no running session to pause.')
    must(
      await changeSession(db, session.id, 'running', { paused_at: paused ? (session.paused_at ?? now) : null }),
      `Session ${session.id}`,
    )
    return viewSession((await selectSession(db, session.id))!)
  },
  subject: (session) => ({ details: { paused: session.pausedAt !== null } }),
})
