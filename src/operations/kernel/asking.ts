import { z } from 'zod'
import { requestStates } from '../../domain/request.ts'

/** How ask_human answers. While it is open, the agent asks again with the number. */
export const answered = z.object({ status: z.enum(requestStates), answer: z.string().nullable(), requestNumber: z.int(), instructions: z.string() })

/** How Claude Code wants to be told whether it may use a tool. */
export const permissionVerdict = z.object({ behavior: z.enum(['allow', 'deny']), updatedInput: z.record(z.string(), z.unknown()).optional(), message: z.string().optional() })
