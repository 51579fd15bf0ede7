import { z } from 'zod'
import type { Census } from '../../contracts/observations.ts'
import { lazyObject } from '../perform/schemas.ts'
import { once } from '../../domain/words/once.ts'

const paths = once(() => z.array(z.string()))

/** The shape of a census, for the operation that records one. */
export const census: () => z.ZodType<Census> = lazyObject(() => ({
  uncommitted: paths(),
  untracked: paths(),
  ignored: paths(),
  beyond: paths(),
  regenerable: paths(),
  nested: paths(),
  special: paths(),
  commits: z.int(),
  head: z.string().nullable(),
  stashes: paths(),
  inProgress: z.string().nullable(),
  landed: z.object({
    target: z.string(),
    how: z.enum(['merged', 'contained', 'squashed', 'picked']).nullable(),
    commits: z.int(),
    picked: z.int(),
  }),
  processes: z.array(z.object({ pid: z.int(), name: z.string(), ours: z.boolean() })),
}))
