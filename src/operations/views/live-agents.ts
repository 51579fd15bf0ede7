import { selectAgents, selectHeldTasks } from '../../db/agents.ts'
import type { Db } from '../../db/engine/db.ts'
import { selectTasks } from '../../db/tasks.ts'
import type { LiveAgent } from '../../domain/task/contention.ts'

const standings = {
  none: 'external',
  waiting: 'waiting',
  wanted: 'working',
  started: 'working',
  ended: 'external',
} as const

/** The live agents for the scheduler's rules, with the worktree in which a self-registered one holds a task. */
export const liveAgentsOf = async (db: Db): Promise<readonly LiveAgent[]> => {
  const agents = await selectAgents(db, { live: true })
  const held = await selectHeldTasks(
    db,
    agents.flatMap(({ id, process }) => (process === 'none' ? id : [])),
  )
  const worktrees = new Map(
    held.length === 0
      ? []
      : (await selectTasks(db, { ids: held.map(({ task_id }) => task_id) })).map((task) => [
          task.id,
          task.target_worktree,
        ]),
  )
  const busyIn = new Map(held.map(({ agent_id, task_id }) => [agent_id, worktrees.get(task_id) ?? null]))
  return agents.map((agent) => ({
    id: agent.id,
    personaId: agent.persona_id,
    kind: agent.kind,
    worktree: agent.assigned_worktree,
    standing: standings[agent.process],
    ...(busyIn.has(agent.id) ? { busyIn: busyIn.get(agent.id)! } : {}),
  }))
}
