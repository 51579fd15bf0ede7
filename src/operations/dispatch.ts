import { z } from 'zod'
import { changeAgent, selectAgents } from '../db/agents.ts'
import { selectRunningSession } from '../db/sessions.ts'
import { selectStartable } from '../db/task-queue.ts'
import { selectTasks } from '../db/tasks.ts'
import { plan } from '../domain/schedule.ts'
import { isSessionSpent } from './kernel/budgets.ts'
import type { Context } from './kernel/core.ts'
import { assign, hire, retire } from './kernel/crew.ts'
import { findAgent, findTask } from './kernel/find.ts'
import { operation } from './kernel/operation.ts'
import { startableOf } from './kernel/startable.ts'
import { refuseLapsed } from './kernel/supervision.ts'

/** So many of the tasks that could start are looked at: the first where they fill the room, else all; beyond, even their number is a finding. */
const looks = { first: 200, all: 20_000 } as const

export const dispatch = operation({
  name: 'dispatch',
  summary: 'Start what can start: priority first, at most so many processes at a time',
  access: 'write',
  authority: 'system',
  input: z.strictObject({ maxParallel: z.int().min(0).max(1000) }),
  output: z.object({
    started: z.array(z.object({ taskId: z.int(), agentId: z.string() })),
    held: z.array(z.object({ taskId: z.int(), why: z.string() })),
    retired: z.array(z.string()),
  }),
  run: async (context, { maxParallel }) => {
    await refuseLapsed(context)
    const { db } = context
    const session = await selectRunningSession(db)
    if (session && (session.paused_at !== null || (await isSessionSpent(context, session)))) return { started: [], held: [], retired: [] }
    const { starts, held } = await planStarts(context, maxParallel)
    const started: { taskId: number; agentId: string }[] = []
    for (const start of starts) {
      const task = await findTask(db, start.taskId)
      const agent =
        start.agentId !== null
          ? await findAgent(db, start.agentId)
          : await hire(context, {
              personaId: start.personaId,
              kind: start.kind,
              worktree: start.worktree,
              once: true,
              parent: task.created_by === 'human' ? null : task.created_by,
              environment: {},
              ...(start.name === null ? {} : { id: start.name }),
            })
      await assign(context, agent, task)
      started.push({ taskId: task.id, agentId: agent.id })
    }
    return { started, held: [...held], retired: await retireUnneeded(context) }
  },
  subject: ({ started, retired }) => (started.length + retired.length > 0 ? { details: { started, retired } } : null),
})

const standings = { none: 'external', waiting: 'waiting', wanted: 'working', started: 'working', ended: 'external' } as const

const planStarts = async (context: Context, maxParallel: number): Promise<ReturnType<typeof plan>> => {
  const { db, now, settings, kinds } = context
  const crew = (await selectAgents(db, { live: true })).map((agent) => ({
    id: agent.id,
    personaId: agent.persona_id,
    kind: agent.kind,
    worktree: agent.assigned_worktree,
    standing: standings[agent.process],
  }))
  const room = maxParallel - crew.filter((agent) => agent.standing === 'working').length
  if (room <= 0) return { starts: [], held: [] }
  const planned = async (limit: number): Promise<{ readonly complete: boolean; readonly found: ReturnType<typeof plan> }> => {
    const rows = await selectStartable(db, now, limit)
    const found = plan(await startableOf(context, rows), crew, settings, kinds, maxParallel)
    return { complete: rows.length < limit || found.starts.length === room, found }
  }
  const { complete, found } = await planned(looks.first)
  return complete ? found : (await planned(looks.all)).found
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
