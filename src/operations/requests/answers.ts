import { z } from 'zod'
import { deadlineOf } from '../../db/leases.ts'
import { closeRequest, insertWantedRule } from '../../db/requests.ts'
import { requestMachine, type RequestState, whyNotAnswer } from '../../domain/request/request.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { step } from '../../domain/rules/state-machine.ts'
import { findAgent } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { text } from '../perform/schemas.ts'
import { findRequest, requestView, resetProgress, viewRequest } from './requests.ts'

export const answerRequest = operation({
  name: 'answer_request',
  summary: 'Answer a request of an agent: allow it once, deny it, allow it always, or reply',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () =>
    z.discriminatedUnion('verdict', [
      z.strictObject({ requestId: z.int().min(1), verdict: z.enum(['allow', 'always']) }),
      z.strictObject({
        requestId: z.int().min(1),
        verdict: z.literal('deny'),
        reason: text(10_000)
          .trim()
          .min(1, 'the reason is empty')
          .optional()
          .describe('What the agent should do instead'),
      }),
      z.strictObject({
        requestId: z.int().min(1),
        verdict: z.literal('answer'),
        answer: text(10_000).trim().min(1, 'an answer is required'),
      }),
    ]),
  output: () => requestView().extend({ personaId: z.string() }),
  run: async ({ db, now, tick, actor }, input) => {
    const request = await findRequest(db, input.requestId)
    const verb = input.verdict === 'always' ? 'allow' : input.verdict
    const why = whyNotAnswer(verb, request)
    if (why !== undefined) throw new Refusal('invalid_state', why)
    if (request.expires_at !== null && (await deadlineOf(db, 'request', request.id, tick)) === 'over')
      throw new Refusal('invalid_state', `Request ${request.id} was not answered in time, so it is closed.`)
    if (input.verdict === 'always' && request.rule === null)
      throw new Refusal(
        'invalid_state',
        `No rule can describe request ${request.id}. ${request.kind === 'denial' ? 'Leave it' : 'Allow it once, or deny it'}.`,
      )
    // The CLI has already refused, and its turn has continued.
    if (input.verdict === 'allow' && request.kind === 'denial')
      throw new Refusal('invalid_state', 'The agent was already denied this. Allow it always, or leave it.')
    const status = step(requestMachine, verb, request.status) as Exclude<RequestState, 'open'>
    const answer =
      input.verdict === 'answer' ? input.answer : input.verdict === 'deny' ? (input.reason ?? 'deny') : input.verdict
    if (!(await closeRequest(db, request.id, { status, answer, answered_by: actor.id, answered_at: now })))
      throw new Refusal('invalid_state', `Request ${request.id} was just answered.`)
    if (input.verdict === 'always') await insertWantedRule(db, request.id)
    if (request.kind !== 'denial') await resetProgress({ db, now }, request.task_id)
    const agent = await findAgent(db, request.agent_id)
    return { ...viewRequest(await findRequest(db, request.id)), personaId: agent.persona_id }
  },
  subject: (request, { verdict }) => ({
    agentId: request.agentId,
    taskId: request.taskId,
    details: { request: request.id, verdict },
  }),
  wish: (request, { verdict }) =>
    verdict === 'always' ? { kind: 'allow_rule', personaId: request.personaId, rule: request.rule! } : undefined,
})
