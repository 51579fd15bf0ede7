import { z } from 'zod'
import { requestStates } from '../../domain/request/request.ts'
import { lazyObject } from '../perform/schemas.ts'

/** The answer of ask_human. While the request is open, the agent asks again with its number. */
export const answered = lazyObject(() => ({
  status: z.enum(requestStates),
  answer: z.string().nullable(),
  requestNumber: z.int(),
  instructions: z.string(),
}))
