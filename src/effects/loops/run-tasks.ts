import { randomUUID } from 'node:crypto'
import { person } from '../../domain/agent/actor.ts'
import { instant } from '../../domain/words/time.ts'
import { cancelTask } from '../../operations/tasks/cancel.ts'
import { getTask, type TaskDetail } from '../../operations/tasks/detail.ts'
import { perform } from '../../operations/perform/perform.ts'
import { nextChange } from './changes.ts'
import { narrated } from './headless.ts'
import { wishesOf } from './jobs.ts'
import { untilAnswered } from '../hosts/outage.ts'
import type { World } from '../world.ts'

export interface RunTasksOptions {
  /** True: until every task has had its attempt. False: until those that may start now have started. */
  readonly wait: boolean
  readonly line: (text: string) => void
  /** Ends the wait early; running agents continue. */
  readonly signal: AbortSignal
}

/** Supervises until these tasks have had one attempt each, and returns their final state. */
export const runTasks = async (
  world: World,
  taskIds: readonly number[],
  { wait, line, signal }: RunTasksOptions,
): Promise<readonly TaskDetail[]> =>
  narrated(world, { maxParallel: null, line }, async () => {
    const read = () => Promise.all(taskIds.map((taskId) => perform(world.core, getTask, { taskId }, world.actor)))
    const look = async () => {
      const tasks = await read()
      return { tasks, ended: wait ? tasks.every(isOver) : await haveStarted(world, tasks) }
    }
    for (;;) {
      const version = world.core.store.version()
      const { tasks, ended } = await untilAnswered(look, signal)
      if (signal.aborted || ended) return wait && !signal.aborted ? closed(world, tasks, signal) : tasks
      await nextChange(world.core.store, version, 1000, signal)
    }
  })

const isOver = ({ status, attempts }: TaskDetail): boolean =>
  ['completed', 'failed', 'cancelled'].includes(status) || attempts.some((attempt) => attempt.endedAt !== null)

/** True if none of them starts now: each is running, has ended, or waits for room or for another. */
const haveStarted = async (world: World, tasks: readonly TaskDetail[]): Promise<boolean> => {
  const { runs } = await wishesOf(world)
  if (runs.some((run) => run.process === 'wanted')) return false
  const room = world.core.settings.session.maxParallel - runs.filter((run) => run.process === 'started').length
  const now = instant(Date.now())
  return (
    room <= 0 ||
    tasks.every(
      (task) =>
        task.status !== 'pending' ||
        task.blockedBy.length > 0 ||
        (task.notBefore ?? '') > now ||
        runs.some((run) => run.agentId === task.wantedAgentId),
    )
  )
}

/**
 * An attempt that ended without failing the task (its program is missing, its process was lost) leaves the task open,
 * although only one attempt was requested.
 */
const closed = async (
  world: World,
  tasks: readonly TaskDetail[],
  signal: AbortSignal,
): Promise<readonly TaskDetail[]> =>
  Promise.all(
    tasks.map(async (task) => {
      if (task.status !== 'pending') return task
      const cancelled = { taskId: task.id, reason: task.errorMessage ?? 'its only attempt has ended' }
      const requestId = randomUUID()
      await untilAnswered(() => perform(world.core, cancelTask, cancelled, person, { requestId }), signal)
      return untilAnswered(() => perform(world.core, getTask, { taskId: task.id }, world.actor), signal)
    }),
  )
