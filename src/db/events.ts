import { createHash } from 'node:crypto'
import type { Instant } from '../domain/words/time.ts'
import { type Db, sealsEvents, statement } from './engine/db.ts'
import type { EventChainTable, EventRow } from './schema/schema.ts'

// The record of an operation: its event, the seal of the event, and its answer to a call with a request id.

/** Inserts an event and seals it. */
export const insertEvent = async (db: Db, event: Omit<EventRow, 'id'>): Promise<void> => {
  if (sealsEvents(db)) return void (await append(db, event))
  const { id } = (await insert(db, event)).rows[0]!
  await sealEvent(db, { ...event, id })
}

const append = statement((db, { at, actor, operation, task_id, agent_id, worktree, details }: Omit<EventRow, 'id'>) =>
  db.selectNoFrom((eb) =>
    eb
      .fn<null>(
        'append_event',
        [at, actor, operation, task_id, agent_id, worktree, details].map((value) => eb.val(value)),
      )
      .as('appended'),
  ),
)

const insert = statement((db, event: Omit<EventRow, 'id'>) => db.insertInto('events').values(event).returning('id'))

/** The decisions about the integrations of a worktree, oldest first. */
export const selectIntegrationEvents = async (db: Db, worktree: string): Promise<readonly EventRow[]> =>
  db
    .selectFrom('events')
    .selectAll()
    .where('worktree', '=', worktree)
    .where('operation', 'in', ['record_candidate', 'record_verification', 'approve_integration', 'record_restack'])
    .orderBy('id')
    .execute()

/** The newest events of some operations on a task, oldest first. */
export const selectTaskEvents = async (
  db: Db,
  { taskId, operations, limit }: { taskId: number; operations: readonly string[]; limit: number },
): Promise<readonly EventRow[]> =>
  (
    await db
      .selectFrom('events')
      .selectAll()
      .where('task_id', '=', taskId)
      .where('operation', 'in', [...operations])
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  ).reverse()

/** Events after an id, oldest first; without an id the newest `limit`, oldest first. */
export const selectEvents = async (
  db: Db,
  { afterId, limit }: { afterId?: number; limit: number },
): Promise<readonly EventRow[]> => {
  const query = db.selectFrom('events').selectAll().limit(limit)
  if (afterId !== undefined) return query.where('id', '>', afterId).orderBy('id').execute()
  return (await query.orderBy('id', 'desc').execute()).reverse()
}

/** The number of the newest event, which grows with every event except heartbeats. */
export const selectLastEventId = async (db: Db): Promise<number> =>
  (await db.selectFrom('events').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst())?.id ?? 0

// Events are hash-chained. The chain has no key, so it proves nothing against a program that recomputes it, but a
// single statement that changes, adds or deletes an event breaks it, and `db check` reports where.

/** The first row's value in place of a hash; it seals no event. */
const START = 'start'

/** Seals an event that was just inserted. */
const sealEvent = async (db: Db, event: EventRow): Promise<void> => {
  const previous = (await newest(db, {})).rows[0]?.hash ?? START
  await insertSeal(db, { event_id: event.id, hash: sealOf(previous, event) })
}

const newest = statement((db, _: object) =>
  db.selectFrom('event_chain').select('hash').orderBy('event_id', 'desc').limit(1),
)
const insertSeal = statement((db, row: EventChainTable) =>
  // A reused id means that an event was deleted by hand: the chain is broken, and work continues.
  db
    .insertInto('event_chain')
    .values(row)
    .onConflict((conflict) => conflict.column('event_id').doUpdateSet({ hash: row.hash })),
)

/** True if the event is unchanged in the chain. */
export const isSealed = async (db: Db, event: EventRow): Promise<boolean> => {
  const links = await db
    .selectFrom('event_chain')
    .selectAll()
    .where('event_id', '<=', event.id)
    .orderBy('event_id', 'desc')
    .limit(2)
    .execute()
  const [own, previous] = links
  return own?.event_id === event.id && previous !== undefined && own.hash === sealOf(previous.hash, event)
}

/** The most findings that are reported. */
const MOST = 5

/**
 * The breaks of the chain, one sentence each; empty if it is intact. `lastNumber` is the last number that was given to an
 * event, if the engine knows it and leaves out none.
 */
export const findBrokenSeals = async (db: Db, lastNumber?: number): Promise<readonly string[]> => {
  const findings: string[] = []
  let before: EventChainTable | undefined
  for await (const { event_id, hash, event } of linksOf(db)) {
    if (findings.length >= MOST) return findings
    if (!before) {
      if (hash !== START)
        findings.push(`The chain of events does not begin with its first row; events up to ${event_id} may be missing.`)
    } else if (!event) findings.push(`Event ${event_id} was removed.`)
    else if (hash !== sealOf(before.hash, event))
      findings.push(`Event ${event_id} (${event.operation} by ${event.actor}) was changed after it was written.`)
    before = { event_id, hash }
  }
  if (!before) return ['The chain of events is missing.']
  const unsealed = await selectUnsealed(db, MOST)
  findings.push(
    ...unsealed.map(({ id, operation, actor }) => `Event ${id} (${operation} by ${actor}) was not written by aiswarm.`),
  )
  if (lastNumber !== undefined && lastNumber > Math.max(before.event_id, unsealed.at(-1)?.id ?? 0))
    findings.push(`Events after ${before.event_id} were removed.`)
  return findings.slice(0, MOST)
}

/** Events after the beginning of the chain that are not part of it, the oldest first. */
const selectUnsealed = (db: Db, limit: number): Promise<readonly EventRow[]> =>
  db
    .selectFrom('events')
    .selectAll()
    .where('id', '>', (eb) => eb.selectFrom('event_chain').select(({ fn }) => fn.min('event_id').as('first')))
    .where('id', 'not in', (eb) => eb.selectFrom('event_chain').select('event_id'))
    .orderBy('id')
    .limit(limit)
    .execute()

/** Links that are read at once. */
const PAGE = 1000

/** Every link of the chain with its event, if that is there. */
const linksOf = async function* (db: Db): AsyncGenerator<EventChainTable & { readonly event: EventRow | undefined }> {
  for (let last = -1; ;) {
    const links = await db
      .selectFrom('event_chain')
      .selectAll()
      .where('event_id', '>', last)
      .orderBy('event_id')
      .limit(PAGE)
      .execute()
    if (links.length === 0) return
    const events = await db
      .selectFrom('events')
      .selectAll()
      .where('id', '>', last)
      .where('id', '<=', links.at(-1)!.event_id)
      .execute()
    const byId = new Map(events.map((event) => [event.id, event]))
    for (const link of links) yield { ...link, event: byId.get(link.event_id) }
    last = links.at(-1)!.event_id
  }
}

const sealOf = (
  previous: string,
  { id, at, actor, operation, task_id, agent_id, worktree, details }: EventRow,
): string =>
  createHash('sha256')
    .update(JSON.stringify([previous, id, at, actor, operation, task_id, agent_id, worktree, details]))
    .digest('hex')

/** The answer to a call with a request id. */
export const selectCallResult = async (
  db: Db,
  actor: string,
  requestId: string,
): Promise<{ operation: string; input_hash: string; result: string } | undefined> =>
  db
    .selectFrom('call_results')
    .where('actor', '=', actor)
    .where('request_id', '=', requestId)
    .select(['operation', 'input_hash', 'result'])
    .executeTakeFirst()

export const insertCallResult = async (
  db: Db,
  row: { actor: string; request_id: string; operation: string; input_hash: string; result: string; at: Instant },
): Promise<void> => {
  await db.insertInto('call_results').values(row).execute()
}

/** A call is not repeated after a day. */
export const deleteCallResultsBefore = async (db: Db, at: Instant): Promise<void> => {
  await db.deleteFrom('call_results').where('at', '<', at).execute()
}
