import { z } from 'zod'
import { changeAgent, selectHeldTasks, selectSilentAgents } from '../db/agents.ts'
import { selectExpiredLeases } from '../db/task-queue.ts'
import { later } from '../domain/time.ts'
import { findTask } from './kernel/find.ts'
import { operation } from './kernel/operation.ts'
import { refuseLapsed } from './kernel/supervision.ts'
import { releaseHeld } from './kernel/task-steps.ts'

export const sweep = operation({
  name: 'sweep',
  summary: 'Mark silent agents offline and free what they held: claimed tasks at once, begun ones when their lease is over',
  access: 'write',
  authority: 'system',
  input: z.strictObject({}),
  output: z.object({ offline: z.array(z.string()), released: z.array(z.int()) }),
  run: async (context) => {
    await refuseLapsed(context)
    const { db, now, settings } = context
    const offline: string[] = []
    const released: number[] = []
    // Agents with a process of ours are judged by that process, not by this clock (DESIGN section 5).
    for (const agent of await selectSilentAgents(db, later(now, -settings.lease.ttl))) {
      await changeAgent(db, agent.id, { process: 'none' }, { status: 'offline' })
      offline.push(agent.id)
      for (const held of await selectHeldTasks(db, [agent.id])) {
        if (held.status !== 'claimed') continue
        await releaseHeld(context, await findTask(db, held.task_id), 'lost', `Agent ${agent.id} fell silent before it began.`)
        released.push(held.task_id)
      }
    }
    for (const id of await selectExpiredLeases(db, now)) {
      const task = await findTask(db, id)
      await releaseHeld(context, task, 'lost', `The lease of attempt ${task.attempt} ran out: agent ${task.assigned_agent_id} gave no sign of life.`)
      released.push(id)
    }
    return { offline, released }
  },
  subject: (found) => (found.offline.length + found.released.length > 0 ? { details: found } : null),
})
