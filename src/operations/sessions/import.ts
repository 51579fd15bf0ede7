import { z } from 'zod'
import { insertSession, selectRunningSession, selectSession } from '../../db/sessions.ts'
import { insertDependencies } from '../../db/task-dependencies.ts'
import { selectTasks } from '../../db/tasks.ts'
import { checkId } from '../../domain/rules/names.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { findCycle } from '../../domain/task/dependencies.ts'
import type { Context } from '../perform/core.ts'
import { findPersonaFor } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { lazyStrictObject, text } from '../perform/schemas.ts'
import { addTask } from '../tasks/create.ts'
import { sessionView, viewSession } from '../views/sessions.ts'
import { taskView, viewTasks } from '../views/tasks.ts'

const boardTask = lazyStrictObject(() => ({
  /** N of the board's `task-N`. */
  number: z.int().min(1),
  agentId: text(50),
  cli: text(50).nullable(),
  title: text(500).trim().min(1),
  /** Tier 1 begins first. */
  tier: z.int().min(0).max(1_000_000),
  dependencies: z.array(z.int()).max(1000),
  description: text(200_000),
  acceptanceCriteria: z.array(text(10_000)).max(200),
  /** Lines of the task without a known key; an export writes them back. */
  other: text(100_000).default(''),
}))

/** Seed 000: a board file begins its session, once. Every task starts pending, for the agent that the board names. */
export const importBoard = operation({
  name: 'import_board',
  summary: 'Start the session of a board file with its tasks',
  access: 'write',
  authority: 'person',
  input: () =>
    z.strictObject({
      sessionId: z
        .string()
        .regex(/^session-\d{8}-\d{6}$/, 'the session id does not have the form session-YYYYMMDD-HHMMSS'),
      tasks: z.array(boardTask()).min(1, 'the board has no tasks').max(10_000),
    }),
  output: () => sessionView().extend({ tasks: z.array(taskView()) }),
  run: async (context, { sessionId, tasks }) => {
    const { db, now } = context
    if (await selectSession(db, sessionId))
      throw new Refusal('already_exists', `${sessionId} was already started. A board can be imported once.`)
    const running = await selectRunningSession(db)
    if (running)
      throw new Refusal(
        'invalid_state',
        `${running.id} is running. End it with 'aiswarm session end', then import the board.`,
      )
    const cycle = findCycle(new Map(tasks.map((task) => [task.number, task.dependencies])))
    if (cycle)
      throw new Refusal(
        'dependency_cycle',
        `The dependencies form a cycle (${cycle.map((n) => `task-${n}`).join(' → ')}). Remove one of them.`,
      )
    await insertSession(db, { id: sessionId, goal: null, started_at: now })
    const ids = await insertBoard(context, tasks)
    for (const task of tasks) {
      await insertDependencies(
        db,
        ids.get(task.number)!,
        [...new Set(task.dependencies)].map((number) => ids.get(number)!),
      )
    }
    const views: z.output<ReturnType<typeof taskView>>[] = []
    const made = [...ids.values()]
    for (let at = 0; at < made.length; at += 500)
      views.push(...(await viewTasks(db, await selectTasks(db, { ids: made.slice(at, at + 500) }))))
    return { ...viewSession((await selectSession(db, sessionId))!), tasks: views }
  },
  subject: (session) => ({ details: { session: session.id, tasks: session.tasks.map((task) => task.id) } }),
  wish: () => ({ kind: 'project_session' }),
})

type BoardTask = z.output<ReturnType<typeof boardTask>>

/** The id of each of the board's tasks: its own number if no task has it, otherwise the next in the board's order. */
const insertBoard = async (context: Context, tasks: readonly BoardTask[]): Promise<ReadonlyMap<number, number>> => {
  const { db } = context
  const empty = (await selectTasks(db, { limit: 1 })).length === 0
  const ids = new Map<number, number>()
  for (const task of tasks) {
    checkId('agent', task.agentId)
    const draft = {
      title: task.title,
      description: task.description,
      personaId: (await findPersonaFor(db, task.agentId)).id,
      priority: 100 - 10 * (task.tier - 1),
      dependencies: [],
      acceptanceCriteria: task.acceptanceCriteria,
      metadata: {
        tier: task.tier,
        board: `task-${task.number}`,
        agent: task.agentId,
        ...(task.cli === null ? {} : { cli: task.cli }),
        ...(task.other === '' ? {} : { other: task.other }),
      },
    }
    const id = await addTask(
      context,
      draft,
      { agentId: task.agentId, folder: null, maxRetries: null },
      empty ? task.number : undefined,
    )
    ids.set(task.number, id)
  }
  return ids
}
