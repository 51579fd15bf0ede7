import { z } from 'zod'
import { changeDelivery, postponeDeliveries, selectDelivery } from '../../db/hooks.ts'
import { DELIVERY_PATIENCE, deliveryDelay } from '../../domain/settings/hooks.ts'
import { elapsed, later } from '../../domain/words/time.ts'
import { text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

export const recordDelivery = operation({
  name: 'record_delivery',
  summary: 'Record the result of a delivery to a hook; a failed one is retried for a day, with growing delays',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      id: z.string(),
      tries: z.int().min(0).describe('Number of earlier attempts'),
      error: text(2000).nullable(),
    }),
  output: () =>
    z.object({
      /** `unknown`: another process has recorded this try, or the hook was removed. */
      state: z.enum(['delivered', 'waiting', 'given_up', 'unknown']),
      tries: z.int(),
      nextAt: z.string().nullable(),
      taskId: z.int().nullable(),
      worktree: z.string().nullable(),
    }),
  run: async ({ db, now }, { id, tries, error }) => {
    const row = await selectDelivery(db, id)
    const told = { tries: tries + 1, nextAt: null, taskId: row?.task_id ?? null, worktree: row?.worktree ?? null }
    // The hook may have been removed from the configuration meanwhile, with its deliveries.
    if (!row) return { ...told, state: 'unknown' as const }
    if (error === null) {
      const changed = await changeDelivery(db, id, tries, {
        tries: tries + 1,
        delivered_at: now,
        next_try_at: null,
        last_error: null,
      })
      return { ...told, state: changed ? ('delivered' as const) : ('unknown' as const) }
    }
    const givenUp = elapsed(row.planned_at, now) >= DELIVERY_PATIENCE
    const nextAt = givenUp ? null : later(now, deliveryDelay(tries + 1))
    const changed = await changeDelivery(db, id, tries, {
      tries: tries + 1,
      next_try_at: nextAt,
      last_error: error,
      given_up_at: givenUp ? now : null,
    })
    if (!changed) return { ...told, state: 'unknown' as const }
    await postponeDeliveries(db, row.hook, later(now, deliveryDelay(1)))
    return { ...told, nextAt, state: givenUp ? ('given_up' as const) : ('waiting' as const) }
  },
  subject: ({ state, tries, taskId, worktree }, { error }) =>
    state === 'given_up' ? { taskId, worktree, details: { tries, error } } : null,
})
