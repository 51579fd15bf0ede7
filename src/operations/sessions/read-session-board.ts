import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { selectLastAttempts } from '../../db/attempts.ts'
import { selectLatestSession, selectRunningSession } from '../../db/sessions.ts'
import { selectPriorities } from '../../db/tasks.ts'
import { operation } from '../perform/operation.ts'
import { sessionView, viewSession } from '../views/sessions.ts'
import { agentView, viewAgents } from '../views/agents.ts'
import { lazyObject } from '../perform/schemas.ts'

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
