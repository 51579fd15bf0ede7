import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { selectLatestOutcomes } from '../../db/attempts.ts'
import type { Db } from '../../db/engine/db.ts'
import { selectIntegrations } from '../../db/integrations.ts'
import { selectNewestLogs } from '../../db/task-logs.ts'
import { countByStatus, selectTasks, type TaskRow } from '../../db/tasks.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { whyHeld } from '../../domain/task/startable.ts'
import { isHeld, taskStates } from '../../domain/task/task.ts'
import { elapsed } from '../../domain/words/time.ts'
import { withSleeps } from '../hosts/quotas.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'
import { startableOf } from '../tasks/startable.ts'
import { taskLogView, viewTaskLog, viewTasks } from '../views/tasks.ts'

// The work that remains, and the results so far.

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

/** The most notes of a task in a report, the newest first. */
const NOTES = 20

const result = lazyObject(() => ({
  id: z.int(),
  title: z.string(),
  personaId: z.string(),
  status: z.enum(taskStates),
  attempt: z.int(),
  /** Of the last attempt, up to now. */
  seconds: z.number(),
  /** The error of its failure. */
  error: z.string().nullable(),
  /** The reason why it has no result: its dependencies, the agent that holds it, or the reason of its cancellation. */
  without: z.string().nullable(),
  notes: z.array(taskLogView()),
}))
export type Result = z.output<ReturnType<typeof result>>

export const readResults = operation({
  name: 'read_results',
  summary: 'Read the tasks that changed since a moment, and the unfinished ones',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ since: z.string() }),
  output: () => z.array(result()),
  run: async (context, { since }) => {
    const { db, now } = context
    const waiting = new Map((await readRemainingWork.run(context, {})).waiting.map(({ taskId, why }) => [taskId, why]))
    const tasks = await selectThose(db, since)
    const logs = await selectNewestLogs(
      db,
      tasks.map(({ id }) => id),
      NOTES,
    )
    return tasks.map((task) => {
      const end = task.completed_at ?? now
      const start = task.claimed_at ?? task.started_at
      return {
        id: task.id,
        title: task.title,
        personaId: task.persona_id,
        status: task.status,
        attempt: task.attempt,
        seconds: start === null ? 0 : Math.max(0, elapsed(start, end) / 1000),
        error: task.status === 'failed' ? (task.error_message ?? 'failed') : null,
        without: withoutResult(task, waiting),
        notes: (logs.get(task.id) ?? []).map(viewTaskLog),
      }
    })
  },
})

const selectThose = async (db: Db, since: string): Promise<readonly TaskRow[]> => {
  const all = [
    ...(await selectTasks(db, { changedSince: since })),
    ...(await selectTasks(db, { statuses: ['pending', 'claimed', 'in_progress'] })),
  ]
  return [...new Map(all.map((task) => [task.id, task])).values()].sort((one, other) => one.id - other.id)
}

const withoutResult = (task: TaskRow, waiting: ReadonlyMap<number, string>): string | null => {
  if (task.status === 'cancelled') return task.error_message === null ? 'cancelled' : `cancelled: ${task.error_message}`
  if (isHeld(task.status)) return `${task.assigned_agent_id} is still working on it`
  return task.status === 'pending' ? (waiting.get(task.id) ?? 'it is waiting for its turn') : null
}
