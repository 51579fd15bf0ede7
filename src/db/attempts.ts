import type { Instant } from '../domain/words/time.ts'
import type { AttemptOutcome, AttemptRow } from './schema/tasks.ts'
import type { Db } from './engine/db.ts'
import { statement } from './engine/statement.ts'

interface NewAttempt {
  readonly task_id: number
  readonly attempt: number
  readonly agent_id: string
  readonly claimed_at: Instant
}

export const insertAttempt = async (db: Db, row: NewAttempt): Promise<void> => void (await insert(db, row))

const insert = statement((db, row: NewAttempt) => db.insertInto('task_attempts').values(row))

export const startAttempt = async (db: Db, taskId: number, attempt: number, at: Instant): Promise<void> => {
  await db
    .updateTable('task_attempts')
    .set({ started_at: at })
    .where('task_id', '=', taskId)
    .where('attempt', '=', attempt)
    .where('started_at', 'is', null)
    .execute()
}

type AttemptEnd = { outcome: AttemptOutcome; ended_at: Instant; error: string | null; commits_recorded: number }

/** Ends an attempt that has no outcome yet, and returns it; undefined if it has one. */
export const endAttempt = async (
  db: Db,
  taskId: number,
  attempt: number,
  end: AttemptEnd,
): Promise<AttemptRow | undefined> => (await endOpen(db, { ...end, taskId, number: attempt })).rows[0]

const endOpen = statement((db, { taskId, number, ...end }: AttemptEnd & { taskId: number; number: number }) =>
  db
    .updateTable('task_attempts')
    .set(end)
    .where('task_id', '=', taskId)
    .where('attempt', '=', number)
    .where('outcome', 'is', null)
    .returningAll(),
)

/** Sets the usage of an attempt's runs so far. */
export const setAttemptUsage = async (
  db: Db,
  taskId: number,
  attempt: number,
  usage: { tokens_in: number; tokens_out: number; cost_usd: number | null },
): Promise<void> => {
  await db
    .updateTable('task_attempts')
    .set(usage)
    .where('task_id', '=', taskId)
    .where('attempt', '=', attempt)
    .where((eb) =>
      eb.or([
        eb('tokens_in', 'is distinct from', usage.tokens_in),
        eb('tokens_out', 'is distinct from', usage.tokens_out),
        eb('cost_usd', 'is distinct from', usage.cost_usd),
      ]),
    )
    .execute()
}

export const selectAttempts = async (db: Db, taskId: number): Promise<readonly AttemptRow[]> =>
  (await attemptsOf(db, { taskId })).rows

const attemptsOf = statement((db, { taskId }: { taskId: number }) =>
  db.selectFrom('task_attempts').where('task_id', '=', taskId).selectAll().orderBy('attempt'),
)

/** True if the agent held the task in some attempt. */
export const hasAttempted = async (db: Db, taskId: number, agentId: string): Promise<boolean> =>
  (await db
    .selectFrom('task_attempts')
    .where('task_id', '=', taskId)
    .where('agent_id', '=', agentId)
    .select('attempt')
    .limit(1)
    .executeTakeFirst()) !== undefined

/** All attempts of an agent, oldest first. */
export const selectAttemptsOf = async (db: Db, agentId: string): Promise<readonly AttemptRow[]> =>
  db
    .selectFrom('task_attempts')
    .where('agent_id', '=', agentId)
    .selectAll()
    .orderBy('claimed_at')
    .orderBy('attempt')
    .execute()
