import { z } from 'zod'
import type { WorktreeObservation } from '../../contracts/observations.ts'
import { perform } from '../../operations/perform/perform.ts'
import { worktreeView, type WorktreeView } from '../../operations/views/worktrees.ts'
import { readWorktreeWork } from '../../operations/worktrees/status.ts'
import type { ToolCall } from './tool.ts'

/** Seed 004: whether all agents have completed and a worktree can be integrated, with git's state of its folder. */
export const worktreeStanding = worktreeView().extend({
  ahead: z.int().nullable(),
  behind: z.int().nullable(),
  dirty: z.boolean().nullable(),
  unfinishedTasks: z.int(),
  allAgentsCompleted: z.boolean(),
  readyForIntegration: z.boolean(),
  standing: z.string(),
})

export const withStanding = async (
  views: readonly WorktreeView[],
  { connection }: ToolCall,
): Promise<{ worktrees: readonly z.output<typeof worktreeStanding>[] }> => {
  const { core, actor, outside } = connection
  const work = new Map((await perform(core, readWorktreeWork, {}, actor)).map((one) => [one.worktree, one]))
  const seen = new Map((await outside.observeWorktrees(views.map(({ name }) => name))).map((one) => [one.name, one]))
  return {
    worktrees: views.map((view) => {
      const { unfinishedTasks = 0, agents = [] } = work.get(view.name) ?? {}
      const { ahead = null, behind = null, dirty = null } = seen.get(view.name) ?? {}
      const why = whyNotReady(view, { unfinishedTasks, agents, ahead, dirty })
      const standing = why ?? 'all agents completed, ready for integration'
      return {
        ...view,
        ahead,
        behind,
        dirty: dirty === null ? null : dirty > 0,
        unfinishedTasks,
        allAgentsCompleted: unfinishedTasks === 0 && agents.length === 0,
        readyForIntegration: why === undefined,
        standing,
      }
    }),
  }
}

interface Known {
  readonly unfinishedTasks: number
  readonly agents: readonly string[]
  readonly ahead: WorktreeObservation['ahead'] | null
  readonly dirty: WorktreeObservation['dirty']
}

const whyNotReady = (
  { status, folder, integration }: WorktreeView,
  { unfinishedTasks, agents, ahead, dirty }: Known,
): string | undefined => {
  if (status !== 'active') return `the worktree is ${status}`
  if (folder !== 'ready') return `its folder is ${folder}`
  if (integration !== null && integration.endedAt === null) return `its integration is ${integration.status}`
  if (unfinishedTasks > 0) return `${unfinishedTasks} unfinished ${unfinishedTasks === 1 ? 'task' : 'tasks'}`
  if (agents.length > 0) return `at work: ${agents.slice(0, 5).join(', ')}`
  if (dirty !== null && dirty > 0)
    return `${dirty} uncommitted ${dirty === 1 ? 'change' : 'changes'}, which an integration leaves out`
  return ahead === 0 ? 'no commit to integrate' : undefined
}
