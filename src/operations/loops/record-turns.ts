import { z } from 'zod'
import { insertTaskLog, insertTurn } from '../../db/task-logs.ts'
import { changeStatus } from '../../db/tasks.ts'
import { findTask, must } from '../perform/find.ts'
import { findHolding } from '../agents/steps/holding.ts'
import { agentId, taskId, text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { signOfLife, startHeld } from '../tasks/steps/task-steps.ts'

/** Seed 000: copies an agent's progress file to the log of its task, each turn once. */
export const recordTurns = operation({
  name: 'record_turns',
  summary: "Add the turns of an agent's progress file to the log of its task",
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      taskId,
      agentId,
      attempt: z.int().min(1),
      turns: z
        .array(z.object({ hash: text(64), message: text(32_768), level: z.enum(['info', 'warn', 'error']) }))
        .max(10_000),
    }),
  output: () => z.object({ recorded: z.int() }),
  run: async (context, input) => {
    const { db, now } = context
    const holding = await findHolding(context, input)
    if (!holding) return { recorded: 0 }
    let recorded = 0
    for (const { hash, message, level } of input.turns) {
      if (!(await insertTurn(db, { task_id: input.taskId, attempt: input.attempt, hash }))) continue
      recorded += 1
      await insertTaskLog(db, {
        task_id: input.taskId,
        agent_id: input.agentId,
        level,
        message,
        attempt: input.attempt,
        percent: null,
        logged_at: now,
      })
    }
    if (recorded === 0) return { recorded }
    await startHeld(context, holding.task)
    const { status, attempt } = await findTask(db, input.taskId)
    const from = { status, attempt, agentId: input.agentId }
    must(await changeStatus(db, input.taskId, from, { progressed_at: now, changed_at: now }), `Task ${input.taskId}`)
    await signOfLife(context, holding.agent)
    return { recorded }
  },
  subject: ({ recorded }, input) =>
    recorded === 0 ? null : { taskId: input.taskId, agentId: input.agentId, details: { turns: recorded } },
})
