import { sql } from 'kysely'
import type { RequestState } from '../domain/request/request.ts'
import type { Instant, Tick } from '../domain/words/time.ts'
import { type Db, statement } from './engine/db.ts'
import { selectOver } from './leases.ts'
import type { NewRequest, RequestRow } from './schema/agents.ts'

export const insertRequest = async (db: Db, request: NewRequest): Promise<number> =>
  (await db.insertInto('requests').values(request).returning('id').executeTakeFirstOrThrow()).id

export const selectRequest = async (db: Db, id: number): Promise<RequestRow | undefined> =>
  db.selectFrom('requests').where('id', '=', id).selectAll().executeTakeFirst()

interface RequestFilter {
  readonly open?: boolean
  readonly agentId?: string
  readonly taskId?: number
  /** Open requests whose deadline has passed by the monotonic clock. */
  readonly expiredAt?: Tick
  /** The newest so many. */
  readonly limit?: number
}

/** In the order in which they were asked. */
export const selectRequests = async (db: Db, filter: RequestFilter): Promise<readonly RequestRow[]> => {
  let query = db.selectFrom('requests').selectAll()
  if (filter.open || filter.expiredAt !== undefined) query = query.where('status', '=', open)
  if (filter.agentId !== undefined) query = query.where('agent_id', '=', filter.agentId)
  if (filter.taskId !== undefined) query = query.where('task_id', '=', filter.taskId)
  if (filter.expiredAt !== undefined)
    query = query.where('id', 'in', (await selectOver(db, 'request', filter.expiredAt)).map(Number))
  return (
    await query
      .orderBy('id', 'desc')
      .limit(filter.limit ?? 500)
      .execute()
  ).reverse()
}

/** A literal lets SQLite use the partial index, which a parameter does not. */
const open = sql.lit('open' as const)

/** Open requests, and those answered at this instant or later; two statements, each with its index. */
export const selectRecentRequests = async (db: Db, since: Instant): Promise<readonly RequestRow[]> => [
  ...(await db
    .selectFrom('requests')
    .selectAll()
    .where('answered_at', '>=', since)
    .orderBy('answered_at')
    .orderBy('id')
    .limit(200)
    .execute()),
  ...(await selectRequests(db, { open: true, limit: 200 })),
]

/** Compare-and-set: only an open request is answered. */
export const closeRequest = async (
  db: Db,
  id: number,
  close: { status: Exclude<RequestState, 'open'>; answer: string | null; answered_by: string; answered_at: Instant },
): Promise<boolean> =>
  (await db.updateTable('requests').set(close).where('id', '=', id).where('status', '=', open).executeTakeFirst())
    .numUpdatedRows === 1n

/** Withdraws the requests of an ended attempt; actions that the CLI itself denied stay visible. */
export const withdrawRequests = async (db: Db, agentId: string, taskId: number, at: Instant): Promise<void> => {
  await withdraw(db, { agentId, taskId, at })
}

const withdraw = statement((db, { agentId, taskId, at }: { agentId: string; taskId: number; at: Instant }) =>
  db
    .updateTable('requests')
    .set({ status: 'withdrawn', answered_by: 'aiswarm', answered_at: at })
    .where('status', '=', open)
    .where('agent_id', '=', agentId)
    .where('task_id', '=', taskId)
    .where('kind', '<>', 'denial'),
)

/** Records that an answer reached its agent; the first time counts, and an open request has no answer. */
export const markTold = async (db: Db, id: number, at: Instant): Promise<void> => {
  await db
    .updateTable('requests')
    .set({ told_at: at })
    .where('id', '=', id)
    .where('status', '<>', 'open')
    .where('told_at', 'is', null)
    .execute()
}

// Rules that a person wants in the configuration. They stay here until they are written.

export const insertWantedRule = async (db: Db, requestId: number): Promise<void> => {
  await db.insertInto('wanted_rules').values({ request_id: requestId }).execute()
}

/** With the persona of the agent that asked, in the order of the requests. */
export const selectWantedRules = (
  db: Db,
): Promise<readonly { request_id: number; persona_id: string; rule: string | null }[]> =>
  db
    .selectFrom('wanted_rules')
    .innerJoin('requests', 'requests.id', 'wanted_rules.request_id')
    .innerJoin('agents', 'agents.id', 'requests.agent_id')
    .select(['wanted_rules.request_id', 'agents.persona_id', 'requests.rule'])
    .orderBy('wanted_rules.request_id')
    .execute()

/** False if it is not wanted any more. */
export const deleteWantedRule = async (db: Db, requestId: number): Promise<boolean> =>
  (await db.deleteFrom('wanted_rules').where('request_id', '=', requestId).executeTakeFirst()).numDeletedRows === 1n
