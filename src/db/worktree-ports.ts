import type { Generated, Insertable, Selectable } from 'kysely'
import type { Instant } from '../domain/time.ts'
import type { PortPurpose } from '../domain/worktree.ts'
import type { Db } from './sqlite.ts'

/** The columns of migrations/010_WorktreeReadiness.sql. */
export interface WorktreePortsTable {
  port: number
  worktree: string
  purpose: PortPurpose
  served: Generated<number>
  leased_at: Instant
}

export type PortRow = Selectable<WorktreePortsTable>

/** The ports of all worktrees whose folder stands or is still wanted. */
export const selectPorts = async (db: Db, filter: { worktrees?: readonly string[]; purpose?: PortPurpose } = {}): Promise<readonly PortRow[]> => {
  let query = db.selectFrom('worktree_ports').innerJoin('worktrees', 'worktrees.name', 'worktree_ports.worktree').where('worktrees.folder', '<>', 'gone')
  if (filter.worktrees) query = query.where('worktree', 'in', [...filter.worktrees])
  if (filter.purpose) query = query.where('purpose', '=', filter.purpose)
  return query.select(['port', 'worktree', 'purpose', 'served', 'leased_at']).orderBy('port').execute()
}

/** Gives the worktree this port instead of the one it has; false where another worktree has it. */
export const replacePort = async (db: Db, lease: Insertable<WorktreePortsTable>): Promise<boolean> => {
  await deletePort(db, lease.worktree, lease.purpose)
  // Whose folder is gone gives its port back, however it went.
  await db
    .deleteFrom('worktree_ports')
    .where('worktree', 'in', db.selectFrom('worktrees').where('folder', '=', 'gone').select('name'))
    .execute()
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('worktree_ports')
    .values(lease)
    .onConflict((conflict) => conflict.column('port').doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) === 1n
}

export const deletePort = async (db: Db, worktree: string, purpose: PortPurpose): Promise<void> => {
  await db.deleteFrom('worktree_ports').where('worktree', '=', worktree).where('purpose', '=', purpose).execute()
}
