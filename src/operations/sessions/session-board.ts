import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { selectLastAttempts } from '../../db/attempts.ts'
import { selectLatestSession, selectRunningSession, selectSession } from '../../db/sessions.ts'
import { selectPriorities, selectTasks } from '../../db/tasks.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'
import { agentView, viewAgents } from '../views/agents.ts'
import { sessionView, viewSession } from '../views/sessions.ts'
import { taskView, viewTasks } from '../views/tasks.ts'

// The session as its files show it.

const sessionBoard = lazyObject(() => ({
  session: sessionView().nullable(),
  /** The priorities of its tasks, the most important first. */
  priorities: z.array(z.int()),
  /** Agents of the session, each with its last task and its outcome. */
  agents: z.array(agentView().extend({ lastTask: z.int().nullable(), lastOutcome: z.string().nullable() })),
}))
export type SessionBoard = z.output<ReturnType<typeof sessionBoard>>

export const readSessionBoard = operation({
  name: 'read_session_board',
  summary: 'Read the running session, else the latest, with its agents',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: sessionBoard,
  run: async ({ db }) => {
    const session = (await selectRunningSession(db)) ?? (await selectLatestSession(db))
    if (!session) return { session: null, priorities: [], agents: [] }
    const priorities = await selectPriorities(db, { id: session.id, since: session.started_at })
    const rows = (await selectAgents(db)).filter(
      (agent) => agent.ended_at === null || agent.ended_at >= session.started_at,
    )
    const last = await selectLastAttempts(
      db,
      rows.map(({ id }) => id),
    )
    const agents = (await viewAgents(db, rows)).map((agent) => {
      const attempt = last.get(agent.id)
      return { ...agent, lastTask: attempt?.task_id ?? null, lastOutcome: attempt?.outcome ?? null }
    })
    return { session: viewSession(session), priorities, agents }
  },
})

/** The page size: some 2 ms, so that reading a large board blocks no other work. */
const PAGE = 100

export const readSessionTasks = operation({
  name: 'read_session_tasks',
  summary: 'List the tasks of a session by number, a page at a time',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ sessionId: z.string(), from: z.int() }),
  output: () =>
    z.object({
      tasks: z.array(taskView()),
      /** The start of the next page; null after the last. */
      next: z.int().nullable(),
    }),
  run: async ({ db }, { sessionId, from }) => {
    const session = await selectSession(db, sessionId)
    if (!session) return { tasks: [], next: null }
    const rows = await selectTasks(db, {
      ofSession: { id: session.id, since: session.started_at },
      fromId: from,
      limit: PAGE,
    })
    return { tasks: await viewTasks(db, rows), next: rows.length < PAGE ? null : rows.at(-1)!.id + 1 }
  },
})
