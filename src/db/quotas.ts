import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import { LOCAL } from '../domain/host/host.ts'
import type { KindRules } from '../domain/settings/persona-settings.ts'
import { COMMAND_KIND } from '../domain/task/startable.ts'
import type { Instant } from '../domain/words/time.ts'
import { OWN_WORKTREE } from '../domain/worktree/worktree.ts'
import type { Db } from './engine/db.ts'
import { globbed } from './engine/expressions.ts'
import type { Schema } from './schema/schema.ts'

// Kinds of agents that do not start before the quota of the account of their host resets.

export type KindSleep = Awaited<ReturnType<typeof selectSleeps>>[number]

export const selectSleeps = (db: Db, now: Instant) =>
  db.selectFrom('kind_sleeps').where('until', '>', now).selectAll().orderBy('kind').orderBy('account').execute()

export const setSleep = async (db: Db, { kind, account, ...sleep }: KindSleep): Promise<void> => {
  await db
    .insertInto('kind_sleeps')
    .values({ kind, account, ...sleep })
    .onConflict((conflict) => conflict.columns(['kind', 'account']).doUpdateSet(sleep))
    .execute()
}

export const endSleep = async (db: Db, { kind, account }: Pick<KindSleep, 'kind' | 'account'>): Promise<void> => {
  await db.deleteFrom('kind_sleeps').where('kind', '=', kind).where('account', '=', account).execute()
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
 * True if a pending task sleeps: the quota of its kind is used up on its host, or its retry was delayed until the reset of
 * another kind's quota, as which it had been started. A task that will get a worktree of its own sleeps if the quota is
 * used up on every host that is up. Null if no kind is configured for it. The few sleeping kinds are listed once, not once
 * per task.
 */
export const asleep = (
  eb: ExpressionBuilder<Schema, 'tasks' | 'task_status'>,
  now: Instant,
  kinds: KindRules,
): Expression<SqlBool> => {
  const kind = kindOf(kinds)
  const until = eb.selectFrom('kind_sleeps').where('until', '>', now).select('until')
  return sql<SqlBool>`(CASE WHEN ${wantsOwnWorktree(kinds)} THEN ${kind} IN ${everywhere(now)}
    ELSE (${kind}, ${hostOfTask}) IN ${onHosts(now)} END OR task_status.not_before IN ${until})`
}

const accountOf = sql`coalesce(hosts.account, hosts.id)`

/** The kinds that sleep, each with the id of a host where it does. */
const onHosts = (now: Instant) => sql`(SELECT kind_sleeps.kind, hosts.id FROM kind_sleeps
  JOIN hosts ON ${accountOf} = kind_sleeps.account WHERE kind_sleeps.until > ${now})`

/** The kinds that sleep on every host that is up. */
const everywhere = (now: Instant) => sql`(SELECT kind_sleeps.kind FROM kind_sleeps
  JOIN hosts ON ${accountOf} = kind_sleeps.account AND hosts.state = 'up' WHERE kind_sleeps.until > ${now}
  GROUP BY kind_sleeps.kind HAVING count(*) = (SELECT count(*) FROM hosts WHERE state = 'up'))`

/** The host where a worktree lies, or the main checkout. */
const hostOfTask = sql`coalesce((SELECT host_id FROM worktrees WHERE name = tasks.target_worktree), ${sql.lit(LOCAL)})`

/** As `wantsOwnWorktree` in the domain. */
const wantsOwnWorktree = ({ perTask }: KindRules) => sql`(tasks.target_worktree IS NULL
  AND NOT EXISTS (SELECT 1 FROM task_assignments WHERE task_id = tasks.id AND agent_id IS NOT NULL)
  AND (${perTask ? sql`tasks.command IS NULL OR` : sql``} ${globbed(sql`coalesce(tasks.metadata, '')`, `*"worktree":"${OWN_WORKTREE}"*`)}))`

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
