import { z } from 'zod'
import * as figures from '../../db/metrics.ts'
import { countByStatus } from '../../db/tasks.ts'
import { agentStates } from '../../domain/agent/agent.ts'
import { integrationStates } from '../../domain/integration/integration.ts'
import { requestKinds } from '../../domain/request/request.ts'
import { taskStates } from '../../domain/task/task.ts'
import { elapsed } from '../../domain/words/time.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'

/** Bounds in seconds: agents work for minutes to hours; a task is claimed within a second or waits for a free slot. */
const durations = [10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400]
const waits = [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400]

/** `buckets` are cumulative: the number of values up to `upTo` seconds. */
const distribution = lazyObject(() => ({
  buckets: z.array(z.object({ upTo: z.number(), count: z.int() })),
  count: z.int(),
  sum: z.number(),
}))

/**
 * The output has an entry for every state, also an empty one, because a series that appears and disappears is hard to
 * monitor.
 */
const perState = <const T extends string>(states: readonly T[]) => z.record(z.enum(states), z.int())

export const readMetrics = operation({
  name: 'read_metrics',
  summary:
    'Read figures for monitoring: tasks, attempts, durations, waits, agents, tokens, cost, integrations, requests',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      at: z.string(),
      tasks: perState(taskStates),
      /** Tasks that could be claimed now, and the longest wait among them in seconds. */
      claimable: z.object({ tasks: z.int(), longestWait: z.number() }),
      /** By the kind of agent and the outcome; an outcome of null is in progress. */
      attempts: z.array(
        z.object({
          kind: z.string(),
          outcome: z.string().nullable(),
          attempts: z.int(),
          tokensIn: z.int(),
          tokensOut: z.int(),
          costUsd: z.number(),
        }),
      ),
      taskDurations: distribution(),
      claimWaits: distribution(),
      /** Those that have not ended; `silentFor` is the age of the oldest heartbeat among them, in seconds. */
      agents: z.array(
        z.object({
          personaId: z.string(),
          kind: z.string(),
          status: z.enum(agentStates),
          agents: z.int(),
          silentFor: z.number(),
        }),
      ),
      integrations: perState(integrationStates),
      openRequests: perState(requestKinds),
      waitingDeliveries: z.int(),
    }),
  run: async ({ db, now }) => {
    const secondsSince = (at: string | null): number => (at === null ? 0 : Math.max(0, elapsed(at, now) / 1000))
    const claimable = await figures.sumClaimable(db, now)
    const integrations = new Map((await figures.countIntegrations(db)).map((row) => [row.status, row.integrations]))
    const requests = new Map((await figures.countOpenRequests(db)).map((row) => [row.kind, row.requests]))
    return {
      at: now,
      tasks: await countByStatus(db),
      claimable: { tasks: claimable.tasks, longestWait: secondsSince(claimable.since) },
      attempts: (await figures.sumAttempts(db)).map(({ kind, outcome, attempts, tokens_in, tokens_out, cost_usd }) => ({
        kind,
        outcome,
        attempts,
        tokensIn: tokens_in,
        tokensOut: tokens_out,
        costUsd: cost_usd,
      })),
      taskDurations: withOwnBuckets(await figures.distributeDurations(db, durations)),
      claimWaits: withOwnBuckets(await figures.distributeWaits(db, waits)),
      agents: (await figures.sumAgents(db)).map(({ persona_id, kind, status, agents, heard }) => ({
        personaId: persona_id,
        kind,
        status,
        agents,
        silentFor: secondsSince(heard),
      })),
      integrations: every(integrationStates, integrations),
      openRequests: every(requestKinds, requests),
      waitingDeliveries: await figures.countWaitingDeliveries(db),
    }
  },
})

export type Metrics = z.output<typeof readMetrics.output>

const withOwnBuckets = ({ buckets, count, sum }: figures.Distribution) => ({ buckets: [...buckets], count, sum })

const every = <T extends string>(states: readonly T[], counts: ReadonlyMap<T, number>): Record<T, number> =>
  Object.fromEntries(states.map((state) => [state, counts.get(state) ?? 0])) as Record<T, number>
