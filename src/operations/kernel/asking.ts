import { z } from 'zod'
import { requestStates } from '../../domain/request.ts'

/** How ask_human answers. While it is open, the agent asks again with the number. */
export const answered = z.object({ status: z.enum(requestStates), answer: z.string().nullable(), requestNumber: z.int(), instructions: z.string() })
