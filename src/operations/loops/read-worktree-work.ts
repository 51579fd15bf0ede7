import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { countOpenTasksIn } from '../../db/tasks.ts'
import { operation } from '../perform/operation.ts'

export const readWorktreeWork = operation({
  name: 'read_worktree_work',
  summary: 'Read the unfinished tasks of each worktree, and the agents that work in it',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () => z.array(z.object({ worktree: z.string(), unfinishedTasks: z.int(), agents: z.array(z.string()) })),
  run: async ({ db }) => {
    const tasks = new Map((await countOpenTasksIn(db)).map(({ worktree, open }) => [worktree, open]))
    const agents = Map.groupBy(
      (await selectAgents(db, { live: true, processes: ['wanted', 'started'] })).filter(
        (agent) => agent.assigned_worktree !== null,
      ),
      (agent) => agent.assigned_worktree!,
    )
    return [...new Set([...tasks.keys(), ...agents.keys()])].map((worktree) => ({
      worktree,
      unfinishedTasks: tasks.get(worktree) ?? 0,
      agents: (agents.get(worktree) ?? []).map(({ id }) => id),
    }))
  },
})
