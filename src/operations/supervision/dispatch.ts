import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { selectRunningSession } from '../../db/sessions.ts'
import { type QueuePlace, selectStartable } from '../../db/task-queue.ts'
import { selectTasks } from '../../db/tasks.ts'
import { placeWishIn } from '../../domain/task/metadata.ts'
import { plan } from '../../domain/task/schedule.ts'
import { kindOf } from '../../domain/task/startable.ts'
import { isSessionSpent } from '../budgets/budgets.ts'
import type { Context } from '../perform/core.ts'
import { findAgent, findTask } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { refuseUnlessLeading } from '../perform/roles.ts'
import { lazyObject } from '../perform/schemas.ts'
import { addAgent, assign, endAgent } from '../runs/agents.ts'
import { liveAgentsOf, startableOf, whyUnplaced } from '../tasks/startable.ts'
import { giveOwnWorktree } from '../worktrees/create.ts'

/** The number of ready tasks that are checked in one transaction: some 3 ms, in which no other process can write. */
const PAGE = 300

const place = lazyObject(() => ({ priority: z.int(), id: z.int() }))

export const dispatch = operation({
  name: 'dispatch',
  summary: 'Start the tasks that can start, by priority, up to a number of processes',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      maxParallel: z.int().min(0).max(1000),
      /** Only tasks after this place in the queue. */
      behind: place().nullable().default(null),
    }),
  output: () =>
    z.object({
      /** The place up to which it checked, if there may be more tasks and room for them. */
      next: place().nullable(),
      started: z.array(z.object({ taskId: z.int(), agentId: z.string(), worktree: z.string().optional() })),
      held: z.array(z.object({ taskId: z.int(), why: z.string() })),
      retired: z.array(z.string()),
      /** True if some tasks wait for a program that is not installed: nothing in the database changes when it is. */
      missing: z.literal(true).optional(),
      /** True if some tasks wait for a host: that it is heard of again leaves no event. */
      unplaced: z.literal(true).optional(),
    }),
  run: async (context, { maxParallel, behind }) => {
    await refuseUnlessLeading(context)
    const { db } = context
    const session = await selectRunningSession(db)
    if (session && (session.paused_at !== null || (await isSessionSpent(context, session))))
      return { next: null, started: [], held: [], retired: [] }
    const { next, starts, missing, unplaced, ...planned } = await planStarts(context, maxParallel, behind)
    const held = [...planned.held]
    const started: { taskId: number; agentId: string; worktree?: string }[] = []
    for (const start of starts) {
      const found = await findTask(db, start.taskId)
      // Those that started before it in this transaction may have taken the last place on its host.
      const full = await whyUnplaced(context, [found])
      const why = full?.({ ...start, worktree: found.target_worktree, wish: placeWishIn(found.metadata) })
      if (why !== undefined) {
        held.push({ taskId: found.id, why })
        continue
      }
      const task = start.ownWorktree ? await giveOwnWorktree(context, found, start.kind) : found
      const agent =
        start.agentId !== null
          ? await findAgent(db, start.agentId)
          : await addAgent(context, {
              personaId: start.personaId,
              kind: start.kind,
              worktree: task.target_worktree,
              once: true,
              parent: task.created_by === 'human' ? null : task.created_by,
              environment: {},
              ...(start.name === null ? {} : { id: start.name }),
            })
      await assign(context, agent, task)
      started.push({
        taskId: task.id,
        agentId: agent.id,
        ...(agent.assigned_worktree === null ? {} : { worktree: agent.assigned_worktree }),
      })
    }
    return {
      next,
      started,
      held,
      retired: behind === null ? await retireUnneeded(context) : [],
      ...(missing ? { missing: true as const } : {}),
      ...(unplaced ? { unplaced: true as const } : {}),
    }
  },
  subject: ({ started, retired }) => (started.length + retired.length > 0 ? { details: { started, retired } } : null),
})

const planStarts = async (
  context: Context,
  maxParallel: number,
  behind: QueuePlace | null,
): Promise<
  ReturnType<typeof plan> & {
    readonly next: QueuePlace | null
    readonly missing: boolean
    readonly unplaced: boolean
  }
> => {
  const { db, now, settings, kinds } = context
  const liveAgents = await liveAgentsOf(db)
  const room = maxParallel - liveAgents.filter((agent) => agent.standing === 'working').length
  if (room <= 0) return { next: null, starts: [], held: [], missing: false, unplaced: false }
  const rows = await selectStartable(db, now, PAGE, behind)
  const startable = await startableOf(context, rows)
  const missing =
    context.missingProgram !== undefined &&
    startable.some((task) => context.missingProgram!(kindOf(task, settings) ?? '') !== undefined)
  const placed = await whyUnplaced(context, rows)
  const unplaced =
    placed !== undefined && startable.some((task) => placed({ ...task, kind: kindOf(task, settings) }) !== undefined)
  const planned = plan(startable, liveAgents, settings, kinds, maxParallel)
  const last = rows.length < PAGE || planned.starts.length === room ? undefined : rows.at(-1)
  return { ...planned, next: last === undefined ? null : { priority: last.priority, id: last.id }, missing, unplaced }
}

/** An agent that takes tasks by itself ends when no task for its persona is left. */
const retireUnneeded = async (context: Context): Promise<string[]> => {
  const { db } = context
  const retired: string[] = []
  for (const agent of await selectAgents(db, { live: true, processes: ['waiting'] })) {
    const left = await selectTasks(db, {
      personaId: agent.persona_id,
      statuses: ['pending'],
      worktree: agent.assigned_worktree,
      openTo: agent.id,
      limit: 1,
    })
    if (left.length > 0) continue
    await endAgent(context, agent, { stop_reason: 'no tasks left' })
    retired.push(agent.id)
  }
  return retired
}
