import { selectRuns } from '../../db/runs.ts'
import { selectUnallowed } from '../../db/task-queue.ts'
import { selectTasks, type TaskFilter } from '../../db/tasks.ts'
import { taskSaid, unstartableSaid } from '../../domain/request/inbox-items.ts'
import type { Context } from '../perform/core.ts'
import { unstartableOf } from '../tasks/held-tasks.ts'
import { whereOf } from '../tasks/list.ts'
import { type TaskView, viewTasks } from '../views/tasks.ts'
import type { WorktreeView } from '../views/worktrees.ts'
import { type Attention, attentionItem } from './attention-item.ts'

/** Includes facts about the run without progress. */
const stalledItem = async ({ db }: Context, task: TaskView): Promise<Attention> => {
  const said = taskSaid('stalled', task)
  const problem = (await selectRuns(db, { taskId: task.id })).at(-1)?.problem ?? null
  return attentionItem(
    'stalled',
    task.changedAt,
    problem === null ? said : { ...said, evidence: `${said.evidence}; ${problem}` },
    { taskId: task.id },
    task.personaId,
  )
}

/** A task for which no kind of agent exists waits forever, so it is listed here. */
const unstartableItems = async (context: Context): Promise<readonly Attention[]> => {
  const unstartable = new Map((await unstartableOf(context)).map(({ taskId, why }) => [taskId, why]))
  if (unstartable.size === 0) return []
  const tasks = await viewTasks(context.db, await selectTasks(context.db, { ids: [...unstartable.keys()] }))
  return tasks.map((task) =>
    attentionItem(
      'unstartable',
      task.changedAt,
      unstartableSaid(task, unstartable.get(task.id)!),
      { taskId: task.id },
      task.personaId,
    ),
  )
}

export const ofTasks = async (
  context: Context,
  worktrees: readonly WorktreeView[],
  explaining: Promise<ReadonlySet<number | null>>,
): Promise<Attention[]> => {
  const { db, now } = context
  const find = async (filter: TaskFilter): Promise<readonly TaskView[]> =>
    viewTasks(db, await selectTasks(db, { limit: 100, ...filter }))
  const endedOf = ({ targetWorktree }: TaskView) =>
    worktrees.find(({ name, status }) => name === targetWorktree && status !== 'active')
  const item =
    (kind: 'failed' | 'command') =>
    (task: TaskView): Attention =>
      attentionItem(kind, task.changedAt, taskSaid(kind, task, endedOf(task)), { taskId: task.id }, task.personaId)
  const [explained, unallowed, unstartable, held, failed] = await Promise.all([
    explaining,
    selectUnallowed(db).then((ids) => find({ ids, availableAt: now })),
    unstartableItems(context),
    find({ statuses: ['claimed', 'in_progress'], ...whereOf('is:stalled', context), limit: 1000 }),
    find({ statuses: ['failed'], order: 'newest' }),
  ])
  // An agent that is paused, or waits for an answer, makes no progress for a known reason.
  const stalled = held.filter((task) => !explained.has(task.id))
  return [
    ...unallowed.map(item('command')),
    ...unstartable,
    ...(await Promise.all(stalled.map((task) => stalledItem(context, task)))),
    ...failed.map(item('failed')),
  ]
}
