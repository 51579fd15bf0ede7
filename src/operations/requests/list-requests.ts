import { z } from 'zod'
import { selectRequests } from '../../db/requests.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { findAgent } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId } from '../perform/schemas.ts'
import { findRequest, requestView, viewRequest } from './requests.ts'

export const listRequests = operation({
  name: 'list_requests',
  summary: 'List the requests of agents to a person',
  access: 'read',
  authority: 'person',
  input: () =>
    z.strictObject({
      all: z.boolean().default(false).describe('Also closed requests'),
      agentId: agentId.optional(),
    }),
  output: () => z.array(requestView()),
  run: async ({ db }, { all, agentId }) => {
    if (agentId !== undefined) await findAgent(db, agentId)
    return (await selectRequests(db, { open: !all, ...(agentId === undefined ? {} : { agentId }) })).map(viewRequest)
  },
})

export const getRequest = operation({
  name: 'get_request',
  summary: 'Show one of your requests',
  access: 'read',
  authority: 'agent',
  input: () => z.strictObject({ requestId: z.int().min(1) }),
  output: requestView,
  run: async ({ db, actor }, { requestId }) => {
    const request = await findRequest(db, requestId)
    if (actor.kind === 'agent' && request.agent_id !== actor.id)
      throw new Refusal('not_allowed', `Request ${requestId} does not belong to ${actor.id}.`)
    return viewRequest(request)
  },
})
