import { createHash } from 'node:crypto'
import { z } from 'zod'
import { selectEvents, selectLastEventId } from '../../db/events.ts'
import type { EventRow, HookRow } from '../../db/schema/schema.ts'
import { deleteEndedDeliveries, deleteHook, insertDelivery, insertHook, moveHook, selectHooks } from '../../db/hooks.ts'
import { hookEvents, type Occurrence, occurrencesOf } from '../../domain/settings/hooks.ts'
import { later } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { viewEvent } from '../views/events.ts'
import { hookPayload } from './hook-payload.ts'
import { operation } from '../perform/operation.ts'
import { refuseLapsed } from '../perform/roles.ts'

/** The number of events read in one transaction, for one hook. */
const AT_ONCE = 500

/** How long an ended delivery stays visible (ms). */
const KEPT = 7 * 86_400_000

export const planDeliveries = operation({
  name: 'plan_deliveries',
  summary: 'Create a delivery of every event that a configured hook has not received',
  // Writes no event, because that would be one more to read.
  access: 'beat',
  authority: 'system',
  input: () =>
    z.strictObject({
      hooks: z.array(z.object({ key: z.string(), event: z.enum(hookEvents) })).describe('All configured hooks'),
      forget: z.boolean().describe('Delete the other hooks and their pending deliveries'),
    }),
  output: () => z.object({ more: z.boolean() }),
  run: async (context, { hooks, forget }) => {
    await refuseLapsed(context)
    const { db, now } = context
    const known = await selectHooks(db)
    const last = await selectLastEventId(db)
    if (forget) for (const { key } of known) if (!hooks.some((hook) => hook.key === key)) await deleteHook(db, key)
    let more = false
    for (const hook of hooks) {
      const row = known.find(({ key }) => key === hook.key)
      // A new hook receives future events, not past ones.
      if (!row) await insertHook(db, { ...hook, after_event: last, seen_at: now })
      else if (row.after_event < last) more = (await planFor(context, row)) || more
    }
    await deleteEndedDeliveries(db, later(now, -KEPT))
    return { more }
  },
})

/** True if unread events are left. */
const planFor = async (context: Context, hook: HookRow): Promise<boolean> => {
  const events = await selectEvents(context.db, { afterId: hook.after_event, limit: AT_ONCE })
  for (const event of events) {
    for (const occurrence of occurrencesOf(viewEvent(event)))
      if (occurrence.event === hook.event) await plan(context, hook.key, event, occurrence)
  }
  await moveHook(context.db, hook.key, events.at(-1)!.id)
  return events.length === AT_ONCE
}

const plan = async (context: Context, hook: string, event: EventRow, occurrence: Occurrence): Promise<void> => {
  const { db, now, root } = context
  const about =
    'taskId' in occurrence
      ? { task_id: occurrence.taskId, worktree: null }
      : { task_id: null, worktree: occurrence.worktree }
  // Receivers may serve several repositories, so the id must differ between them.
  const id = createHash('sha256')
    .update(JSON.stringify([root, hook, event.id, about]))
    .digest('hex')
    .slice(0, 32)
  const payload = JSON.stringify(await hookPayload(context, id, event, occurrence))
  await insertDelivery(db, { id, hook, event_id: event.id, ...about, payload, planned_at: now, next_try_at: now })
}
