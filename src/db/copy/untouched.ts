import type { Db } from '../engine/db.ts'
import { copiedTables, untyped } from './tables.ts'

/** Tables with rows that the first command in a repository writes. */
const FIRST = ['personas', 'hosts', 'agents', 'events', 'event_chain', 'repository_guard']

/** The only operations that the first command records. */
const FIRST_OPERATIONS = ['sync_personas', 'record_guard']

/** True if a board has only what the first command in a repository writes: nothing of a person or an agent. */
export const isUntouched = async (db: Db): Promise<boolean> => {
  const board = untyped(db)
  for (const { name, above0 } of copiedTables) {
    if (FIRST.includes(name)) continue
    const rows = board.selectFrom(name).selectAll().limit(1)
    if ((await (above0 === undefined ? rows : rows.where(above0, '>', 0)).execute()).length > 0) return false
  }
  const [events, agents, hosts] = await Promise.all([
    board.selectFrom('events').select('id').where('operation', 'not in', FIRST_OPERATIONS).limit(1).execute(),
    board.selectFrom('agents').select('id').where('id', 'not in', ['human', 'aiswarm']).limit(1).execute(),
    board.selectFrom('hosts').select('id').where('id', '<>', 'local').limit(1).execute(),
  ])
  return events.length + agents.length + hosts.length === 0
}
