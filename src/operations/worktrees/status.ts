import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { countOpenTasksIn } from '../../db/tasks.ts'
import { selectFolderInode, selectWorktrees } from '../../db/worktrees.ts'
import { findWorktree } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { worktreeName } from '../perform/schemas.ts'
import { viewWorktrees, worktreeView } from '../views/worktrees.ts'

export const getWorktreeStatus = operation({
  name: 'get_worktree_status',
  summary: 'Show one worktree or all of them, with their integrations',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ worktreeName: worktreeName.optional() }),
  output: () => z.array(worktreeView()),
  run: async ({ db }, input) =>
    viewWorktrees(
      db,
      input.worktreeName === undefined ? await selectWorktrees(db) : [await findWorktree(db, input.worktreeName)],
    ),
})

export const readWorktreeFolder = operation({
  name: 'read_worktree_folder',
  summary: 'Read where the folder of a worktree is, and what identifies it',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ worktreeName }),
  output: () =>
    z.object({
      path: z.string(),
      /** Null for a folder that an older aiswarm has built. */
      inode: z.string().nullable(),
    }),
  run: async ({ db }, input) => ({
    path: (await findWorktree(db, input.worktreeName)).path,
    inode: (await selectFolderInode(db, input.worktreeName)) ?? null,
  }),
})

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
