import { createHash } from 'node:crypto'
import type { Connection, Db } from './engine/sqlite.ts'
import { statement } from './engine/statement.ts'
import type { EventChainTable, EventRow } from './schema/schema.ts'

// Events are hash-chained. The chain has no key, so it proves nothing against a program that recomputes it, but a
// single statement that changes, adds or deletes an event breaks it, and `db check` reports where.

/** The first row's value in place of a hash; it seals no event. */
const START = 'start'

/** Seals an event that was just inserted. */
export const sealEvent = async (db: Db, event: EventRow): Promise<void> => {
  const previous = (await newest(db, {})).rows[0]?.hash ?? START
  await insert(db, { event_id: event.id, hash: sealOf(previous, event) })
}

const newest = statement((db, _: object) =>
  db.selectFrom('event_chain').select('hash').orderBy('event_id', 'desc').limit(1),
)
const insert = statement((db, row: EventChainTable) =>
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

/** The breaks of the chain, one sentence each; empty if it is intact. */
export const findBrokenSeals = (connection: Connection): readonly string[] => {
  const findings: string[] = []
  const links = connection.prepare<[], EventChainTable>('SELECT event_id, hash FROM event_chain ORDER BY event_id')
  const events = connection.prepare<[number], EventRow>('SELECT * FROM events WHERE id = ?')
  let before: EventChainTable | undefined
  for (const link of links.iterate()) {
    if (findings.length >= MOST) return findings
    if (!before) {
      if (link.hash !== START)
        findings.push(
          `The chain of events does not begin with its first row; events up to ${link.event_id} may be missing.`,
        )
    } else {
      const event = events.get(link.event_id)
      if (!event) findings.push(`Event ${link.event_id} was removed.`)
      else if (link.hash !== sealOf(before.hash, event))
        findings.push(`Event ${link.event_id} (${event.operation} by ${event.actor}) was changed after it was written.`)
    }
    before = link
  }
  if (!before) return ['The chain of events is missing.']
  const unsealed = connection
    .prepare<[], EventRow>(
      'SELECT * FROM events WHERE id > (SELECT min(event_id) FROM event_chain) AND id NOT IN (SELECT event_id FROM event_chain) ORDER BY id LIMIT 5',
    )
    .all()
  findings.push(
    ...unsealed.map(({ id, operation, actor }) => `Event ${id} (${operation} by ${actor}) was not written by aiswarm.`),
  )
  const last =
    connection.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'events'").pluck().get() ?? 0
  if (last > Math.max(before.event_id, unsealed.at(-1)?.id ?? 0))
    findings.push(`Events after ${before.event_id} were removed.`)
  return findings.slice(0, MOST)
}

const sealOf = (
  previous: string,
  { id, at, actor, operation, task_id, agent_id, worktree, details }: EventRow,
): string =>
  createHash('sha256')
    .update(JSON.stringify([previous, id, at, actor, operation, task_id, agent_id, worktree, details]))
    .digest('hex')
