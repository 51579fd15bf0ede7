import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isRefusal } from '../domain/refusal.ts'
import type { WorktreeWork } from '../operations/read-wishes.ts'
import { presentEnvironment } from './ports.ts'
import { runStep } from './worktree-step.ts'
import type { World } from './world.ts'

/**
 * Runs `worktrees.teardown` in a worktree whose folder is about to leave. What goes wrong is reported and keeps nothing
 * from leaving. A removal that was cut off runs it again.
 */
export const tearDown = async (world: World, worktree: Pick<WorktreeWork, 'name' | 'path'>): Promise<void> => {
  const { teardown, teardownTimeout } = world.core.settings.worktrees
  if (teardown === '' || !existsSync(join(worktree.path, '.git'))) return
  const environment = await presentEnvironment(world, worktree.name)
  const step = { name: 'teardown', command: teardown, timeout: teardownTimeout, environment } as const
  // In another folder that has taken its place it would clear away something else; then it is left out.
  const problem = await runStep(world, worktree, step).catch((error: unknown) => {
    if (!isRefusal(error)) throw error
    return error.message
  })
  if (problem !== undefined) world.report(`Worktree ${worktree.name}: ${problem} Its folder is removed all the same.`)
}
