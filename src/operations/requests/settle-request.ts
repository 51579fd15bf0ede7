import { z } from 'zod'
import { markTold } from '../../db/requests.ts'
import { operation } from '../perform/operation.ts'
import { expireRequests, findRequest, requestView, viewRequest } from './requests.ts'

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
