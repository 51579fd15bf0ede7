import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { COMMAND_KIND } from '../domain/task/startable.ts'
import type { KindRules } from '../domain/settings/persona-settings.ts'
import type { Instant } from '../domain/words/time.ts'
import type { Schema } from './schema/schema.ts'
import type { Db } from './engine/db.ts'

// Kinds of agents that do not start before their quota resets.

export type KindSleep = Awaited<ReturnType<typeof selectSleeps>>[number]

export const selectSleeps = (db: Db, now: Instant) =>
  db.selectFrom('kind_sleeps').where('until', '>', now).selectAll().orderBy('kind').execute()

export const setSleep = async (
  db: Db,
  { kind, ...sleep }: { kind: string; until: Instant; since: Instant; agent_id: string; why: string },
): Promise<void> => {
  await db
    .insertInto('kind_sleeps')
    .values({ kind, ...sleep })
    .onConflict((conflict) => conflict.column('kind').doUpdateSet(sleep))
    .execute()
}

export const endSleep = async (db: Db, kind: string): Promise<void> => {
  await db.deleteFrom('kind_sleeps').where('kind', '=', kind).execute()
}

/** When the next of them wakes. */
export const selectNextWaking = async (db: Db, now: Instant): Promise<Instant | null> =>
  (
    await db
      .selectFrom('kind_sleeps')
      .where('until', '>', now)
      .select('until')
      .orderBy('until')
      .limit(1)
      .executeTakeFirst()
  )?.until ?? null

/**
 * True if a pending task sleeps: the quota of its kind is used up, or its retry was delayed until the reset of another
 * kind's quota, as which it had been started. Null if no kind is configured for it. The few sleeping kinds are listed
 * once, not once per task.
 */
export const asleep = (
  eb: ExpressionBuilder<Schema, 'tasks' | 'task_status'>,
  now: Instant,
  kinds: KindRules,
): Expression<SqlBool> => {
  const sleeps = eb.selectFrom('kind_sleeps').where('until', '>', now)
  return eb.or([
    eb(kindOf(kinds), 'in', sleeps.select('kind')),
    eb('task_status.not_before', 'in', sleeps.select('until')),
  ])
}

/** As `kindOf` in the domain: a command's own kind, the kind in the task's metadata, otherwise the configured one. */
const kindOf = ({ names, personas, others }: KindRules): Expression<string | null> =>
  sql<string | null>`CASE WHEN tasks.command IS NOT NULL THEN ${COMMAND_KIND} ELSE coalesce(
    tasks.cli, ${oneOf(sql`(SELECT agent_id FROM task_assignments WHERE task_id = tasks.id)`, names)}, ${oneOf(sql`tasks.persona_id`, personas)}, ${others}) END`

const oneOf = (value: Expression<unknown>, rules: KindRules['names']) =>
  rules.length === 0
    ? sql`NULL`
    : sql`CASE ${value} ${sql.join(
        rules.map(([name, kind]) => sql`WHEN ${name} THEN ${kind}`),
        sql` `,
      )} END`
