import { z } from 'zod'
import { errors, saidText, userId } from './dual-memory.ts'
import { lazyObject } from '../perform/schemas.ts'

/** The memory of an ended run (seed 003). Empty where it received or said nothing. */
export const runMemory = lazyObject(() => ({
  userId,
  prompt: saidText,
  answer: saidText,
  toolsUsed: z.array(z.string()),
  /** The number of calls that are not listed. */
  toolsLeft: z.int(),
  errors: errors(),
}))
export type RunMemory = z.output<ReturnType<typeof runMemory>>
