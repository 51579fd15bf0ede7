import { z } from 'zod'
import { setPaused } from '../../db/costs.ts'
import { findAgent } from '../perform/find.ts'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

export const recordPause = operation({
  name: 'record_pause',
  summary: 'Record that the process of a run is paused until a person answers, or is resumed',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ agentId, run: z.int().min(1), paused: z.boolean() }),
  output: () => z.object({ recorded: z.boolean(), taskId: z.int().nullable() }),
  run: async ({ db, now }, { agentId, run, paused }) => {
    const agent = await findAgent(db, agentId)
    if (paused && (agent.process !== 'started' || agent.run !== run || agent.stop_requested_at !== null))
      return { recorded: false, taskId: agent.task_id }
    await setPaused(db, agentId, run, paused ? now : null)
    return { recorded: true, taskId: agent.task_id }
  },
  subject: ({ recorded, taskId }, { agentId, paused }) => (recorded ? { agentId, taskId, details: { paused } } : null),
})
