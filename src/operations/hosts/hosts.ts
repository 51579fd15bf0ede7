import type { Db } from '../../db/engine/db.ts'
import { selectHost, selectHosts } from '../../db/hosts.ts'
import type { HostRow } from '../../db/schema/hosts.ts'
import { selectHostsOf } from '../../db/worktrees.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { Refusal } from '../../domain/rules/refusal.ts'

/** The host with that id, or one that has not left with that name. */
export const findHost = async (db: Db, named: string): Promise<HostRow> => {
  const hosts = await selectHosts(db)
  const found = hosts.find(({ id }) => id === named) ?? hosts.find(({ name }) => name === named)
  const host = found ?? (await selectHost(db, named))
  if (host) return host
  throw new Refusal(
    'not_found',
    `There is no host '${named}'. The hosts of this board are ${hosts.map(({ name }) => name).join(', ')}.`,
  )
}

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
