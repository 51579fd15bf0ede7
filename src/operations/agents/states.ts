import { z } from 'zod'
import { selectAgent } from '../../db/agents.ts'
import { selectAttemptsOf } from '../../db/attempts.ts'
import type { Db } from '../../db/engine/db.ts'
import { selectRun } from '../../db/runs.ts'
import { selectSession } from '../../db/sessions.ts'
import { selectBlockers } from '../../db/task-dependencies.ts'
import { selectTasks, type TaskRow } from '../../db/tasks.ts'
import { operation } from '../perform/operation.ts'
import { agentId, taskId } from '../perform/schemas.ts'

/**
 * Seed 000's words for the state of an agent, and pending for one whose task has not begun; an unknown agent has
 * crashed.
 */
const standings = ['completed', 'failed', 'blocked', 'running', 'crashed', 'no-artifact', 'pending'] as const
type Standing = (typeof standings)[number]

export const readAgentStanding = operation({
  name: 'read_agent_standing',
  summary: 'Read the state of the agents of a session from the database',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      sessionId: z.string(),
      agentIds: z.array(agentId).max(1000),
      taskId: taskId.optional().describe('Only what concerns this task'),
    }),
  output: () =>
    z.object({
      /** When the session began and ended; null if the session is unknown here. */
      session: z.object({ startedAt: z.string(), endedAt: z.string().nullable() }).nullable(),
      agents: z.array(z.object({ agentId: z.string(), standing: z.enum(standings), taskId: z.int().nullable() })),
    }),
  run: async ({ db }, { sessionId, agentIds, taskId }) => {
    const session = await selectSession(db, sessionId)
    const all = session ? await selectTasks(db, { ofSession: { id: session.id, since: session.started_at } }) : []
    const tasks = taskId === undefined ? all : all.filter((task) => task.id === taskId)
    const ids =
      agentIds.length > 0
        ? agentIds
        : [...new Set(tasks.flatMap((task) => task.wanted_agent_id ?? task.assigned_agent_id ?? []))]
    const agents: { agentId: string; standing: Standing; taskId: number | null }[] = []
    for (const id of ids) {
      const task =
        tasks.findLast((one) => one.wanted_agent_id === id || one.assigned_agent_id === id) ??
        (await lastTaskOf(db, id, tasks))
      agents.push({ agentId: id, standing: await standingOf(db, id, task), taskId: task?.id ?? null })
    }
    return { session: session ? { startedAt: session.started_at, endedAt: session.ended_at } : null, agents }
  },
})

/** A task that is pending again no longer names its agent. */
const lastTaskOf = async (db: Db, id: string, tasks: readonly TaskRow[]): Promise<TaskRow | undefined> => {
  const last = (await selectAttemptsOf(db, id)).at(-1)
  return tasks.find((task) => task.id === last?.task_id)
}

const standingOf = async (db: Db, id: string, task: TaskRow | undefined): Promise<Standing> => {
  const agent = await selectAgent(db, id)
  if (task?.status === 'completed') return 'completed'
  if (agent && (agent.process === 'wanted' || agent.process === 'started') && (!task || agent.task_id === task.id))
    return 'running'
  if (!task) return 'crashed'
  const held = task.status === 'claimed' || task.status === 'in_progress'
  if (held && agent && agent.status !== 'offline' && agent.status !== 'terminated') return 'running'
  const attempt = (await selectAttemptsOf(db, id)).findLast((one) => one.task_id === task.id)
  if (!attempt) return (await selectBlockers(db, task.id)).length > 0 ? 'blocked' : 'pending'
  if (attempt.error?.startsWith('no-artifact')) return 'no-artifact'
  if (attempt.outcome !== 'failed') return 'crashed'
  // If the run ended together with the attempt, the exit code and not the agent reported the failure.
  const run = agent && (await selectRun(db, id, agent.run))
  return run && run.ended_at === attempt.ended_at && run.exit_code !== 0 ? 'crashed' : 'failed'
}
