import { z } from 'zod'
import { changeSession, selectRunningSession, selectSession } from '../../db/sessions.ts'
import { selectTasks, type TaskRow } from '../../db/tasks.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { verdict } from '../../domain/session/session.ts'
import type { TaskState } from '../../domain/task/task.ts'
import type { Context } from '../perform/core.ts'
import { must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { parsed } from '../perform/schemas.ts'
import { sessionView, viewSession } from '../views/sessions.ts'
import { viewTasks } from '../views/tasks.ts'

export const endSession = operation({
  name: 'end_session',
  summary: 'End the running session, with a summary of its tasks',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () => z.strictObject({ status: z.enum(['completed', 'failed', 'aborted']).optional() }),
  output: sessionView,
  run: async (context, input) => {
    const { db, now } = context
    const session = await selectRunningSession(db)
    if (!session) throw new Refusal('not_found', 'There is no running session to end.')
    const tasks = await selectTasks(db, { ofSession: { id: session.id, since: session.started_at } })
    const of = (...states: readonly TaskState[]) => tasks.filter((task) => states.includes(task.status))
    const failed = of('failed')
    const unfinished = of('pending', 'claimed', 'in_progress').length
    const status = input.status ?? verdict({ failed: failed.length, unfinished })
    if (status === 'completed') await refuseBlockedForGood(context)
    const summary = {
      totalTasks: tasks.length,
      completed: of('completed').length,
      failed: failed.length,
      cancelled: of('cancelled').length,
      unfinished,
      filesCreated: createdFiles(of('completed')).slice(0, 1000),
      issues: issuesOf(tasks).slice(0, 200),
    }
    must(
      await changeSession(db, session.id, 'running', {
        status,
        ended_at: now,
        paused_at: null,
        summary: JSON.stringify(summary),
      }),
      `Session ${session.id}`,
    )
    return viewSession((await selectSession(db, session.id))!)
  },
  subject: (session) => ({ details: { session: session.id, status: session.status } }),
  wish: () => ({ kind: 'project_session' }),
})

/** Seed 000: a session is not complete while a failed or cancelled task blocks another. */
const refuseBlockedForGood = async ({ db }: Context): Promise<void> => {
  const pending = await viewTasks(db, await selectTasks(db, { statuses: ['pending'], limit: 1000 }))
  const over = new Set((await selectTasks(db, { statuses: ['failed', 'cancelled'] })).map((task) => task.id))
  const blocked = pending.find((task) => task.blockedBy.some((id) => over.has(id)))
  if (blocked)
    throw new Refusal(
      'blocked',
      `Task ${blocked.id} is blocked by a task that failed or was cancelled, so the session is not completed. End it as failed or aborted.`,
    )
}

/** Files that the results of these tasks report as created, without those that a result file marks as changed. */
const createdFiles = (tasks: readonly TaskRow[]): readonly string[] =>
  unique(tasks.flatMap((task) => textsOf(parsed(task.artifacts)).filter((path) => isCreated(task, path))))

/** The issues in results, and the errors of failed tasks. */
const issuesOf = (tasks: readonly TaskRow[]): readonly string[] =>
  unique(
    tasks.flatMap((task) => [
      ...(task.status === 'failed' ? [`task ${task.id}: ${task.error_message ?? 'failed'}`] : []),
      ...textsOf(fieldOf(parsed(task.result_data), 'issues')).map((issue) => `task ${task.id}: ${issue}`),
    ]),
  )

/** A file without a description, such as one that an agent names by a tool, counts as created. */
const isCreated = (task: TaskRow, path: string): boolean => {
  const files = fieldOf(parsed(task.result_data), 'files')
  const change: unknown = (Array.isArray(files) ? files : []).find((file) => fieldOf(file, 'path') === path)
  const said = fieldOf(change, 'change')
  return typeof said !== 'string' || /^(?:new|created|added)\b/i.test(said)
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value.filter((text) => typeof text === 'string' && text.trim() !== '') : []) as string[]

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)]
