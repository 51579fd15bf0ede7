import { selectFleet, selectHost } from '../../../db/hosts.ts'
import type { KnownHost } from '../../../domain/host/heartbeat.ts'
import type { Context } from '../../perform/core.ts'

/** A host as the clone that is it sees it; null if the board knows none with this id. */
export const knownHost = async ({ db }: Pick<Context, 'db'>, hostId: string): Promise<KnownHost | null> => {
  const host = await selectHost(db, hostId)
  if (host === undefined) return null
  // The generation of the board: a host that has not followed it yet is not refused.
  const { generation } = await selectFleet(db)
  return { name: host.name, state: host.state, generation, seq: host.beat_seq, joinedAt: host.joined_at }
}
