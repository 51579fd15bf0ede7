import { z } from 'zod'
import { changeAgent, selectAgents } from '../db/agents.ts'
import { selectRunningSession } from '../db/sessions.ts'
import { type QueuePlace, selectStartable } from '../db/task-queue.ts'
import { selectTasks } from '../db/tasks.ts'
import { plan } from '../domain/schedule.ts'
import { isSessionSpent } from './kernel/budgets.ts'
import type { Context } from './kernel/core.ts'
import { assign, hire, retire } from './kernel/crew.ts'
import { crewOf } from './kernel/crew-view.ts'
import { findAgent, findTask } from './kernel/find.ts'
import { giveOwnWorktree } from './kernel/own-worktree.ts'
import { operation } from './kernel/operation.ts'
import { startableOf } from './kernel/startable.ts'
import { refuseLapsed } from './kernel/supervision.ts'

/** So many of the tasks that could start are looked at in one transaction: some 3 ms, in which nobody else can write. */
const PAGE = 300

const place = z.object({ priority: z.int(), id: z.int() })

export const dispatch = operation({
  name: 'dispatch',
  summary: 'Start what can start: priority first, at most so many processes at a time',
  access: 'write',
  authority: 'system',
  input: z.strictObject({
    maxParallel: z.int().min(0).max(1000),
    /** Only what comes behind this place of the queue. */
    behind: place.nullable().default(null),
  }),
  output: z.object({
    /** As far as it was looked, where there may be more and room for it. */
    next: place.nullable(),
    started: z.array(z.object({ taskId: z.int(), agentId: z.string() })),
    held: z.array(z.object({ taskId: z.int(), why: z.string() })),
    retired: z.array(z.string()),
  }),
  run: async (context, { maxParallel, behind }) => {
    await refuseLapsed(context)
    const { db } = context
    const session = await selectRunningSession(db)
    if (session && (session.paused_at !== null || (await isSessionSpent(context, session)))) return { next: null, started: [], held: [], retired: [] }
    const { next, starts, held } = await planStarts(context, maxParallel, behind)
    const started: { taskId: number; agentId: string }[] = []
    for (const start of starts) {
      const found = await findTask(db, start.taskId)
      const task = start.ownWorktree ? await giveOwnWorktree(context, found) : found
      const agent =
        start.agentId !== null
          ? await findAgent(db, start.agentId)
          : await hire(context, {
              personaId: start.personaId,
              kind: start.kind,
              worktree: task.target_worktree,
              once: true,
              parent: task.created_by === 'human' ? null : task.created_by,
              environment: {},
              ...(start.name === null ? {} : { id: start.name }),
            })
      await assign(context, agent, task)
      started.push({ taskId: task.id, agentId: agent.id })
    }
    return { next, started, held: [...held], retired: behind === null ? await retireUnneeded(context) : [] }
  },
  subject: ({ started, retired }) => (started.length + retired.length > 0 ? { details: { started, retired } } : null),
})

const planStarts = async (context: Context, maxParallel: number, behind: QueuePlace | null): Promise<ReturnType<typeof plan> & { readonly next: QueuePlace | null }> => {
  const { db, now, settings, kinds } = context
  const crew = await crewOf(db)
  const room = maxParallel - crew.filter((agent) => agent.standing === 'working').length
  if (room <= 0) return { next: null, starts: [], held: [] }
  const rows = await selectStartable(db, now, PAGE, behind)
  const planned = plan(await startableOf(context, rows), crew, settings, kinds, maxParallel)
  const last = rows.length < PAGE || planned.starts.length === room ? undefined : rows.at(-1)
  return { ...planned, next: last === undefined ? null : { priority: last.priority, id: last.id } }
}

/** An agent that works off the board ends when nothing is left for its persona there. */
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
    await retire(context, agent)
    await changeAgent(db, agent.id, {}, { stop_reason: 'nothing was left to do' })
    retired.push(agent.id)
  }
  return retired
}
