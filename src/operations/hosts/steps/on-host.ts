import { selectHostsOf } from '../../../db/worktrees.ts'
import type { Db } from '../../../db/engine/db.ts'
import { LOCAL } from '../../../domain/host/host.ts'

/** Those of the rows that belong to a worktree on this host, or to the main checkout if that is here. */
export const onHost = async <T>(
  db: Db,
  host: string | null,
  rows: readonly T[],
  worktreeOf: (row: T) => string | null,
): Promise<readonly T[]> => {
  const hosts = await selectHostsOf(
    db,
    rows.flatMap((row) => worktreeOf(row) ?? []),
  )
  return rows.filter((row) => (hosts.get(worktreeOf(row) ?? '') ?? LOCAL) === host)
}
