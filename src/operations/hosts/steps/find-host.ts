import { selectHost, selectHosts } from '../../../db/hosts.ts'
import type { HostRow } from '../../../db/schema/hosts.ts'
import type { Db } from '../../../db/engine/db.ts'
import { Refusal } from '../../../domain/rules/refusal.ts'

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
