import { z } from 'zod'
import { findHolding } from '../agents/steps/holding.ts'
import { agentId, taskId, text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { note } from '../tasks/steps/task-steps.ts'

/** Reports once that a session file cannot be read or was written by another program; nothing of it is used. */
export const recordFileProblem = operation({
  name: 'record_file_problem',
  summary: 'Record a problem of a session file, in the log of its task if there is one',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      file: text(400),
      problem: text(4000),
      of: z.object({ taskId, agentId, attempt: z.int().min(1) }).nullable(),
    }),
  output: () => z.null(),
  run: async (context, { problem, of }) => {
    const holding = of === null ? undefined : await findHolding(context, of)
    if (holding) await note(context, holding.task, 'warn', problem)
    return null
  },
  subject: (_, { file, problem, of }) => ({
    taskId: of?.taskId ?? null,
    agentId: of?.agentId ?? null,
    details: { file, problem },
  }),
})
