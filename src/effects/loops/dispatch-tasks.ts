import { setImmediate as turn } from 'node:timers/promises'
import type { z } from 'zod'
import { dispatch } from '../../operations/supervision/dispatch.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { World } from '../world.ts'

/**
 * Starts the tasks that can start and returns which did. On a large board with many blocked tasks it yields between two
 * checks.
 */
export const dispatchTasks = async (
  world: World,
  maxParallel: number,
): Promise<Pick<z.output<typeof dispatch.output>, 'started' | 'missing' | 'unplaced'>> => {
  const look = (behind: z.input<typeof dispatch.input>['behind']) =>
    perform(world.core, dispatch, { maxParallel, behind }, world.actor)
  let { next, started, missing, unplaced } = await look(null)
  while (next !== null) {
    await turn()
    const more = await look(next)
    started = [...started, ...more.started]
    missing ??= more.missing
    unplaced ??= more.unplaced
    next = more.next
  }
  return { started, ...(missing ? { missing } : {}), ...(unplaced ? { unplaced } : {}) }
}
