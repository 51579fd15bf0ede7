import { z } from 'zod'
import { selectEvents } from '../../db/events.ts'
import {
  changeSession,
  selectLatestSession,
  selectRunningSession,
  selectSession,
  selectSessions,
} from '../../db/sessions.ts'
import { countByStatus } from '../../db/tasks.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { budgetOfSession, budgetView, usageOfSession, viewBudget } from '../budgets/budgets.ts'
import { must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { eventView, viewEvent } from '../views/events.ts'
import { sessionView, viewSession } from '../views/sessions.ts'
import { usageView } from '../views/usage.ts'

// Sessions and their events, shown and paused.

export const getSession = operation({
  name: 'get_session',
  summary: 'Show the running session, else the latest',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () =>
    sessionView().extend({ usage: usageView(), budget: budgetView(), tasks: z.record(z.string(), z.int()) }),
  run: async (context) => {
    const { db } = context
    const row = (await selectRunningSession(db)) ?? (await selectLatestSession(db))
    if (!row) throw new Refusal('not_found', "There is no session yet. 'aiswarm tui' or 'aiswarm run' starts one.")
    return {
      ...viewSession(row),
      usage: await usageOfSession(context, row.id),
      budget: viewBudget(await budgetOfSession(context, row.id)),
      tasks: await countByStatus(db),
    }
  },
})

export const listSessions = operation({
  name: 'list_sessions',
  summary: 'List the sessions, latest first',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ limit: z.int().min(1).max(1000).default(100) }),
  output: () => z.array(sessionView()),
  run: async ({ db }, { limit }) => (await selectSessions(db, limit)).map(viewSession),
})

export const listEvents = operation({
  name: 'list_events',
  summary: 'List the events, oldest first',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ afterId: z.int().min(0).optional(), limit: z.int().min(1).max(10_000).default(200) }),
  output: () => z.array(eventView()),
  run: async ({ db }, { afterId, limit }) =>
    (await selectEvents(db, { limit, ...(afterId === undefined ? {} : { afterId }) })).map(viewEvent),
})

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
