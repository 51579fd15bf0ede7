import { sql } from 'kysely'
import type { Insertable } from 'kysely'
import type { PortPurpose } from '../domain/worktree/worktree.ts'
import type { Db } from './engine/db.ts'
import type { PortRow, WorktreePortsTable } from './schema/worktrees.ts'

/** The ports of all worktrees whose folder exists or is still requested. */
export const selectPorts = async (
  db: Db,
  filter: { worktrees?: readonly string[]; purpose?: PortPurpose; host?: string } = {},
): Promise<readonly PortRow[]> => {
  let query = db
    .selectFrom('worktree_ports')
    .innerJoin('worktrees', 'worktrees.name', 'worktree_ports.worktree')
    .where('worktrees.folder', '<>', sql.lit('gone'))
  if (filter.worktrees) query = query.where('worktree', 'in', [...filter.worktrees])
  if (filter.host !== undefined) query = query.where('worktree_ports.host_id', '=', filter.host)
  if (filter.purpose) query = query.where('purpose', '=', filter.purpose)
  return query
    .select(['worktree_ports.host_id', 'port', 'worktree', 'purpose', 'served', 'leased_at'])
    .orderBy('port')
    .execute()
}

/** Replaces the port of the worktree by this one; false if another worktree of the host has it. */
export const replacePort = async (db: Db, lease: Insertable<WorktreePortsTable>): Promise<boolean> => {
  await deletePort(db, lease.worktree, lease.purpose)
  // A worktree without a folder releases its port, however the folder was lost.
  await db
    .deleteFrom('worktree_ports')
    .where('worktree', 'in', db.selectFrom('worktrees').where('folder', '=', 'gone').select('name'))
    .execute()
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('worktree_ports')
    .values(lease)
    .onConflict((conflict) => conflict.columns(['host_id', 'port']).doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) === 1n
}

export const deletePort = async (db: Db, worktree: string, purpose: PortPurpose): Promise<void> => {
  await db.deleteFrom('worktree_ports').where('worktree', '=', worktree).where('purpose', '=', purpose).execute()
}
