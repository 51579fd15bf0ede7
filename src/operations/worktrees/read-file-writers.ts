import { z } from 'zod'
import { selectAgents, selectHeldTasks } from '../../db/agents.ts'
import { selectTasks } from '../../db/tasks.ts'
import { selectRunningSession } from '../../db/sessions.ts'
import { hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { workingFolder } from '../requests/confinement.ts'
import { lazyObject } from '../perform/schemas.ts'

const fileWriter = lazyObject(() => ({
  agentId: z.string(),
  taskId: z.int(),
  attempt: z.int(),
  claimedAt: z.string(),
  /** The absolute path of the folder it works in. */
  folder: z.string(),
}))
export type FileWriter = z.output<ReturnType<typeof fileWriter>>

export const readFileWriters = operation({
  name: 'read_file_writers',
  summary: 'List the agents of this host that hold a task, whose progress and result files are read',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      sessionId: z.string().nullable(),
      writers: z.array(fileWriter()),
      /** When the session began; older files are ignored. */ startedAt: z.string().nullable(),
      agentIds: z.array(z.string()),
    }),
  run: async (context) => {
    const { db } = context
    // The files of others lie on their hosts.
    const here = hostOf(context)
    const agents = (await selectAgents(db, { live: true })).filter((agent) => agent.host_id === here)
    const held = await selectHeldTasks(
      db,
      agents.map((agent) => agent.id),
    )
    const tasks = new Map(
      (held.length === 0 ? [] : await selectTasks(db, { ids: held.map((one) => one.task_id) })).map((task) => [
        task.id,
        task,
      ]),
    )
    const writers: FileWriter[] = []
    for (const { agent_id, task_id, attempt } of held) {
      const task = tasks.get(task_id)!
      const agent = agents.find(({ id }) => id === agent_id)!
      const folder = task.folder ?? (await workingFolder(context, task.target_worktree ?? agent.assigned_worktree))
      writers.push({ agentId: agent_id, taskId: task_id, attempt, claimedAt: task.claimed_at!, folder })
    }
    const session = await selectRunningSession(db)
    return {
      sessionId: session?.id ?? null,
      startedAt: session?.started_at ?? null,
      writers,
      agentIds: (await selectAgents(db)).map((agent) => agent.id),
    }
  },
})
