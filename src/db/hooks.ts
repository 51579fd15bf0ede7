import type { Instant } from '../domain/words/time.ts'
import type { HookDeliveryRow, HookRow, NewHookDelivery } from './schema/schema.ts'
import type { Db } from './engine/db.ts'

export const selectHooks = async (db: Db): Promise<readonly HookRow[]> =>
  db.selectFrom('hooks').selectAll().orderBy('key').execute()

export const insertHook = async (db: Db, hook: HookRow): Promise<void> => {
  await db.insertInto('hooks').values(hook).execute()
}

/** Marks events up to this one as processed for the hook. */
export const moveHook = async (db: Db, key: string, afterEvent: number): Promise<void> => {
  await db.updateTable('hooks').set({ after_event: afterEvent }).where('key', '=', key).execute()
}

/** Deletes a hook that was removed from the configuration, with its pending deliveries. */
export const deleteHook = async (db: Db, key: string): Promise<void> => {
  await db.deleteFrom('hook_deliveries').where('hook', '=', key).execute()
  await db.deleteFrom('hooks').where('key', '=', key).execute()
}

export const insertDelivery = async (db: Db, delivery: NewHookDelivery): Promise<void> => {
  await db.insertInto('hook_deliveries').values(delivery).execute()
}

/**
 * The next due delivery for the hook, if any. The one with the fewest tries comes first, so that an event which the
 * receiver rejects cannot block the others.
 */
export const selectDueDelivery = async (db: Db, hook: string, now: Instant): Promise<HookDeliveryRow | undefined> =>
  db
    .selectFrom('hook_deliveries')
    .where('hook', '=', hook)
    .where('next_try_at', '<=', now)
    .selectAll()
    .orderBy('tries')
    .orderBy('event_id')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

export const selectDelivery = async (db: Db, id: string): Promise<HookDeliveryRow | undefined> =>
  db.selectFrom('hook_deliveries').where('id', '=', id).selectAll().executeTakeFirst()

/** When the next delivery to one of these hooks is due. */
export const selectNextDelivery = async (db: Db, hooks: readonly string[]): Promise<Instant | null> => {
  if (hooks.length === 0) return null
  const row = await db
    .selectFrom('hook_deliveries')
    .where('hook', 'in', [...hooks])
    .where('next_try_at', 'is not', null)
    .select(({ fn }) => fn.min('next_try_at').as('at'))
    .executeTakeFirst()
  return row?.at ?? null
}

/** Compare-and-set: a try is recorded once. */
export const changeDelivery = async (
  db: Db,
  id: string,
  tries: number,
  change: Partial<HookDeliveryRow>,
): Promise<boolean> =>
  (
    await db
      .updateTable('hook_deliveries')
      .set(change)
      .where('id', '=', id)
      .where('tries', '=', tries)
      .where('next_try_at', 'is not', null)
      .executeTakeFirst()
  ).numUpdatedRows === 1n

/** Postpones all deliveries to a receiver that has just failed. */
export const postponeDeliveries = async (db: Db, hook: string, until: Instant): Promise<void> => {
  await db
    .updateTable('hook_deliveries')
    .set({ next_try_at: until })
    .where('hook', '=', hook)
    .where('next_try_at', '<', until)
    .execute()
}

/** Deletes deliveries that were made or abandoned and planned before this instant. */
export const deleteEndedDeliveries = async (db: Db, before: Instant): Promise<void> => {
  await db.deleteFrom('hook_deliveries').where('next_try_at', 'is', null).where('planned_at', '<', before).execute()
}
