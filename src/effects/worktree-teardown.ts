import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isRefusal } from '../domain/refusal.ts'
import type { WorktreeWork } from '../operations/read-wishes.ts'
import { presentEnvironment } from './ports.ts'
import { provenFolder } from './worktree-place.ts'
import { runStep } from './worktree-step.ts'
import type { World } from './world.ts'

/**
 * Runs `worktrees.teardown` in a worktree whose folder is about to leave. What goes wrong is reported and keeps nothing
 * from leaving. A removal that was cut off runs it again.
 */
export const tearDown = async (world: World, worktree: Pick<WorktreeWork, 'name' | 'path'>): Promise<void> => {
  const { teardown } = world.core.settings.worktrees
  if (teardown === '' || !existsSync(join(worktree.path, '.git'))) return
  const problem = await stepOf(world, worktree)
  if (problem !== undefined) world.report(`Worktree ${worktree.name}: ${problem} Its folder is removed all the same.`)
}

/** Why it went wrong, or was not begun: in another folder it would clear away something else. */
const stepOf = async (world: World, worktree: Pick<WorktreeWork, 'name' | 'path'>): Promise<string | undefined> => {
  const { teardown, teardownTimeout } = world.core.settings.worktrees
  try {
    await provenFolder(world, worktree.name)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return error.message
  }
  const environment = await presentEnvironment(world, worktree.name)
  return runStep(world, worktree, { name: 'teardown', command: teardown, timeout: teardownTimeout, environment })
}
