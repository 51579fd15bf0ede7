import { z } from 'zod'
import { selectHeldTasks } from '../../db/agents.ts'
import { operation } from '../perform/operation.ts'
import { agentId } from '../perform/schemas.ts'
import { getTask } from '../tasks/detail.ts'

export const readBrief = operation({
  name: 'read_brief',
  summary: 'Read the task of an agent and the outcomes of its earlier attempts; null if it has none',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ agentId }),
  output: () =>
    z
      .object({
        task: z.object({
          id: z.int(),
          title: z.string(),
          description: z.string(),
          status: z.string(),
          acceptanceCriteria: z.array(z.object({ text: z.string(), met: z.boolean() })),
        }),
        attempts: z.array(z.object({ attempt: z.int(), outcome: z.string().nullable(), error: z.string().nullable() })),
      })
      .nullable(),
  run: async (context, { agentId }) => {
    const held = await selectHeldTasks(context.db, [agentId])
    const first = held.find(({ status }) => status === 'in_progress') ?? held[0]
    if (!first) return null
    const { id, title, description, status, acceptanceCriteria, attempts } = await getTask.run(context, {
      taskId: first.task_id,
    })
    return {
      task: { id, title, description, status, acceptanceCriteria },
      attempts: attempts.map(({ attempt, outcome, error }) => ({ attempt, outcome, error })),
    }
  },
})
