import { z } from 'zod'
import { selectHeldTasks } from '../../db/agents.ts'
import { setDeadline } from '../../db/leases.ts'
import { insertRequest, markTold } from '../../db/requests.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import { requestStates } from '../../domain/request/request.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { later } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { findActing } from '../perform/find.ts'
import { ofActing, operation } from '../perform/operation.ts'
import { agentId, lazyObject, taskId, text } from '../perform/schemas.ts'
import { expireRequests, findRequest, requestView, viewRequest } from './requests.ts'

export const askHuman = operation({
  name: 'ask_human',
  summary: 'Ask a person a question when only they can decide; waits for the answer',
  access: 'write',
  authority: 'agent',
  scope: ofActing,
  input: () =>
    z.strictObject({
      taskId: taskId.optional().describe('What it is about'),
      agentId: agentId.optional(),
      question: text(10_000).trim().min(1).optional().describe('One question that can be answered in a sentence'),
      options: z.array(text(200).min(1)).max(9).default([]).describe('Answers to choose from, if any'),
      requestNumber: z
        .int()
        .min(1)
        .optional()
        .describe('Instead of a question: the number of an earlier one, to wait for its answer'),
    }),
  output: () => requestView().extend({ asked: z.boolean() }),
  run: async (context, { taskId, agentId, question, options, requestNumber }) => {
    const agent = await findActing(context, agentId)
    if (requestNumber !== undefined)
      return { ...viewRequest(await findOwn(context, agent, requestNumber)), asked: false }
    if (question === undefined)
      throw new Refusal('invalid_input', 'ask_human: a question is required, or the requestNumber of an earlier one.')
    const id = await ask(context, agent, taskId, question, options)
    return { ...viewRequest(await findRequest(context.db, id)), asked: true }
  },
  subject: (request) =>
    request.asked ? { agentId: request.agentId, taskId: request.taskId, details: { request: request.id } } : null,
})

const ask = async (
  { db, now, tick, settings }: Context,
  agent: AgentRow,
  taskId: number | undefined,
  question: string,
  options: readonly string[],
): Promise<number> => {
  const all = await selectHeldTasks(db, [agent.id])
  const held = taskId === undefined ? all[0] : all.find(({ task_id }) => task_id === taskId)
  if (taskId !== undefined && held === undefined)
    throw new Refusal(
      'not_allowed',
      `Agent ${agent.id} does not hold task ${taskId}. Ask about a task that it holds, or omit taskId.`,
    )
  const id = await insertRequest(db, {
    kind: 'question',
    agent_id: agent.id,
    task_id: held?.task_id ?? null,
    attempt: held?.attempt ?? null,
    subject: question,
    options: options.length > 0 ? JSON.stringify(options) : null,
    asked_at: now,
    expires_at: later(now, settings.permissions.timeout),
  })
  await setDeadline(db, 'request', id, tick, settings.permissions.timeout)
  return id
}

const findOwn = async ({ db }: Context, agent: AgentRow, id: number) => {
  const request = await findRequest(db, id)
  if (request.agent_id !== agent.id || request.kind !== 'question')
    throw new Refusal('not_found', `Agent ${agent.id} has no question ${id}.`)
  return request
}

/** The answer of ask_human. While the request is open, the agent asks again with its number. */
export const answered = lazyObject(() => ({
  status: z.enum(requestStates),
  answer: z.string().nullable(),
  requestNumber: z.int(),
  instructions: z.string(),
}))

export const settleRequest = operation({
  name: 'settle_request',
  summary: 'Record that an answer reached its agent; an expired request counts as denied',
  access: 'beat',
  authority: 'system',
  input: () => z.strictObject({ requestId: z.int().min(1) }),
  output: requestView,
  run: async (context, { requestId }) => {
    await expireRequests(context)
    await markTold(context.db, requestId, context.now)
    return viewRequest(await findRequest(context.db, requestId))
  },
})
