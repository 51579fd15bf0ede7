import { z } from 'zod'
import { endings } from '../../domain/session/plots.ts'
import { sessionView } from '../views/sessions.ts'
import { lazyObject } from '../perform/schemas.ts'
import { once } from '../../domain/words/once.ts'

/** One number per bucket. */
const series = once(() => z.array(z.number()))

const lane = lazyObject(() => ({
  agentId: z.string(),
  /** The number of its attempts that overlap the session; `spans` may have fewer. */
  attempts: z.int(),
  spans: z.array(
    z.object({
      taskId: z.int(),
      attempt: z.int(),
      title: z.string(),
      from: z.string(),
      to: z.string().nullable(),
      outcome: z.string().nullable(),
      ending: z.enum(endings),
    }),
  ),
}))
export type Lane = z.output<ReturnType<typeof lane>>

export const report = lazyObject(() => ({
  session: sessionView(),
  at: z.string(),
  span: z.object({ from: z.string(), to: z.string(), start: z.string(), step: z.int(), buckets: z.int() }),
  /** Attempts by the time and the outcome of their end. */
  attempts: z.object({ completed: series(), failed: series(), stopped: series() }),
  integrated: series(),
  /**
   * The usage of the session's runs by the time of its report; the price of a run is distributed like its tokens. The
   * cost is null if no agent reports it, and lacks the price of `tokensUnpriced`.
   */
  usage: z.object({
    tokensIn: series(),
    tokensOut: series(),
    tokensCached: series(),
    tokensUnpriced: series(),
    costUsd: series().nullable(),
  }),
  /** `open` has a value for the beginning and the end of every bucket: one more than there are buckets. */
  tasks: z.object({ created: series(), closed: series(), open: series() }),
  lanes: z.array(lane()),
  /** Those that appear in no lane. */
  leftOut: z.object({ agents: z.int(), attempts: z.int() }),
}))
export type SessionReport = z.output<ReturnType<typeof report>>
