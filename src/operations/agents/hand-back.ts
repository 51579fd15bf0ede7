import { z } from 'zod'
import { selectHeldTasks } from '../../db/agents.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import { handBacks } from '../../domain/agent/conversation.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { taskStates } from '../../domain/task/task.ts'
import { say } from '../messages/say.ts'
import type { Context } from '../perform/core.ts'
import { findAgent, findLiveAgent, findTask } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId, text } from '../perform/schemas.ts'
import { endAgent } from '../runs/agents.ts'
import { releaseHeld } from '../tasks/attempts.ts'
import { completeTask, failTask } from '../tasks/claims.ts'
import { spawnAgent } from './spawn.ts'

export const handBack = operation({
  name: 'hand_back',
  summary: 'Hand a conversation back that you took over: the agent continues, or its task ends or is pending again',
  access: 'write',
  authority: 'person',
  input: () =>
    z.strictObject({
      holderId: agentId,
      how: z.enum(handBacks),
      text: text(20_000).default('').describe('A word for the agent, or the reason of a failure'),
    }),
  output: () =>
    z.object({
      taskId: z.int(),
      /** The state of the task now. */
      status: z.enum(taskStates),
      /** The agent that goes on, if one does. */
      agentId: z.string().nullable(),
      how: z.enum(handBacks),
    }),
  run: async (context, { holderId, how, text: given }) => {
    const { db } = context
    const holder = await findLiveAgent(db, holderId)
    const [held] = await selectHeldTasks(db, [holder.id])
    if (!held)
      throw new Refusal(
        'lease_lost',
        `${holder.id} no longer holds a task: its lease has expired, or it was cancelled.`,
      )
    const words = given.replaceAll('\r\n', '\n').trim()
    const taskId = held.task_id
    const next = await ways[how](context, holder, taskId, words)
    await endAgent(context, holder)
    const agentId = how === 'agent' ? (await next()).id : null
    return { taskId, status: (await findTask(db, taskId)).status, agentId, how }
  },
  subject: ({ taskId, status, agentId, how }, { holderId }) => ({
    taskId,
    agentId: holderId,
    details: { how, status, next: agentId },
  }),
  wish: ({ taskId, how }) => (how === 'done' ? { kind: 'record_commits', taskId } : undefined),
})

type Next = () => Promise<{ readonly id: string }>
type Way = (context: Context, holder: AgentRow, taskId: number, words: string) => Promise<Next>

const nobody: Next = () => Promise.reject(new Error('no agent was to be started'))

/** The result of the step starts the next agent, once the person holds nothing any more. */
const ways: Record<(typeof handBacks)[number], Way> = {
  agent: async (context, holder, taskId, words) => {
    const agent = await findAgent(context.db, holder.parent_agent_id!)
    await release(context, taskId, `${holder.id} handed the conversation back to the agent.`)
    if (words !== '') await say.run(context, { agentIds: [agent.id], text: words, when: 'attempt' })
    const { persona_id: personaId } = await findTask(context.db, taskId)
    return () =>
      spawnAgent.run(context, {
        personaId,
        taskId,
        kind: agent.kind,
        environment: agent.environment === null ? {} : (JSON.parse(agent.environment) as Record<string, string>),
        once: false,
        beside: false,
      })
  },
  done: async (context, holder, taskId, words) => {
    await completeTask.run(context, { taskId, agentId: holder.id, ...(words === '' ? {} : { resultData: words }) })
    return nobody
  },
  failed: async (context, holder, taskId, words) => {
    if (words === '') throw new Refusal('invalid_input', 'A reason is required: say why the task has failed.')
    await failTask.run(context, { taskId, agentId: holder.id, errorMessage: words })
    return nobody
  },
  board: async (context, holder, taskId, words) => {
    await release(context, taskId, `${holder.id} made the task pending again${words === '' ? '.' : `: ${words}`}`)
    return nobody
  },
}

const release = async (context: Context, taskId: number, why: string): Promise<void> =>
  releaseHeld(context, await findTask(context.db, taskId), { outcome: 'terminated', why })
