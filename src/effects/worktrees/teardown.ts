import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isRefusal, isUndecided } from '../../domain/rules/refusal.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { presentEnvironment } from './ports.ts'
import { runStep } from './step.ts'
import type { World } from '../world.ts'

/**
 * Runs `worktrees.teardown` in a worktree that is about to be removed. A failure is reported and does not block the
 * removal. An interrupted removal runs it again.
 */
export const tearDown = async (world: World, worktree: Pick<WorktreeWork, 'name' | 'path'>): Promise<void> => {
  const { teardown, teardownTimeout } = world.core.settings.worktrees
  if (teardown === '' || !existsSync(join(worktree.path, '.git'))) return
  const environment = await presentEnvironment(world, worktree.name)
  const step = { name: 'teardown', command: teardown, timeout: teardownTimeout, environment } as const
  // In another folder that has taken its place it would delete something else; then it is skipped.
  const problem = await runStep(world, worktree, step).catch((error: unknown) => {
    if (!isRefusal(error) || isUndecided(error)) throw error
    return error.message
  })
  if (problem !== undefined) world.report(`Worktree ${worktree.name}: ${problem} Its folder is removed anyway.`)
}
