import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { selectLatestOutcomes } from '../../db/attempts.ts'
import { selectIntegrations } from '../../db/integrations.ts'
import { countByStatus, selectTasks } from '../../db/tasks.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { whyHeld } from '../../domain/task/startable.ts'
import { withSleeps } from '../hosts/quotas.ts'
import { startableOf } from '../tasks/startable.ts'
import { operation } from '../perform/operation.ts'
import { viewTasks } from '../views/tasks.ts'

export const readRemainingWork = operation({
  name: 'read_remaining_work',
  summary: 'Read whether the board can still make progress, and what blocks it if not',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      /** True if a task is held, or will become due by itself. */
      moving: z.boolean(),
      completed: z.int(),
      cancelled: z.int(),
      failed: z.array(z.int()),
      waiting: z.array(z.object({ taskId: z.int(), why: z.string() })),
      /** Requests that were approved or begun and cannot end, although nothing moves any more. */
      stuck: z.array(z.object({ worktree: z.string(), why: z.string() })),
    }),
  run: async (context) => {
    const { db, now, settings, kinds } = context
    const counts = await countByStatus(db)
    const pendingRows = await selectTasks(db, { statuses: ['pending'] })
    const pending = await withSleeps(context, await viewTasks(db, pendingRows))
    const outcomes = await selectLatestOutcomes(
      db,
      pending.map((task) => task.id),
    )
    const held = new Map(
      (await startableOf(context, pendingRows)).map((task) => [task.id, whyHeld(task, settings, kinds)]),
    )
    const agents = await selectAgents(db, { live: true, processes: ['wanted', 'started'] })
    // A retry after a failure becomes due by itself; one whose program cannot be started does not.
    const due = pending.some(
      (task) =>
        task.sleep !== null ||
        (task.notBefore !== null && task.notBefore > now && outcomes.get(task.id) !== 'not_started'),
    )
    return {
      moving: agents.length > 0 || counts.claimed + counts.in_progress > 0 || due,
      completed: counts.completed,
      cancelled: counts.cancelled,
      failed: (await selectTasks(db, { statuses: ['failed'] })).map((task) => task.id),
      waiting: pending.map((task) => ({
        taskId: task.id,
        why:
          task.blockedBy.length > 0
            ? `blocked by ${task.blockedBy.join(', ')}`
            : (held.get(task.id) ?? task.errorMessage ?? 'it is waiting for its turn'),
      })),
      stuck: [
        ...(await selectIntegrations(db, { statuses: ['approved', 'moving'] })).map(({ worktree, status, target }) => ({
          worktree,
          why:
            status === 'moving'
              ? `its merge into ${target} has started but not ended`
              : `its merge into ${target} is approved but not started`,
        })),
        ...(await selectWorktrees(db, { folders: ['building'] })).map(({ name }) => ({
          worktree: name,
          why: 'its folder is not created',
        })),
      ],
    }
  },
})
