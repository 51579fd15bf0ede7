import { selectHosts } from '../../db/hosts.ts'
import { isNewer, silentSince } from '../../domain/host/host.ts'
import type { Context } from '../perform/core.ts'

/**
 * The hosts of which nothing is heard now and that are not lost: no agent there can send a heartbeat, so none is judged by
 * it. The first host is never lost, so its agents keep their tasks until it is back: no other host could do them. A short
 * lease must not end before its host is silent.
 */
export const silentHosts = async ({
  db,
  now,
  settings: { fleet, lease },
}: Pick<Context, 'db' | 'now' | 'settings'>): Promise<readonly string[]> => {
  const hosts = await selectHosts(db)
  if (hosts.length < 2) return []
  const after = Math.min(fleet.silentAfter, lease.ttl / 2)
  return hosts
    .filter(({ state, beat_at: beatAt }) => silentSince({ state, beatAt }, now, after) !== undefined)
    .map(({ id }) => id)
}

/** The host with the newest aiswarm, if that is newer than `program` and the host is up and heard of: its name and version. */
export const newerHost = async (
  { db, now, settings: { fleet } }: Pick<Context, 'db' | 'now' | 'settings'>,
  program: string,
): Promise<{ readonly name: string; readonly program: string } | null> =>
  (await selectHosts(db))
    .filter(
      ({ state, beat_at: beatAt }) =>
        state === 'up' && beatAt !== null && silentSince({ state, beatAt }, now, fleet.silentAfter) === undefined,
    )
    .map(({ name, program: theirs }) => ({ name, program: theirs ?? '' }))
    .reduce<{ name: string; program: string } | null>(
      (newest, host) => (isNewer(host.program, newest?.program ?? program) ? host : newest),
      null,
    )

/** The hosts that can push nothing now: they are silent, or were declared lost. */
export const awayHosts = async ({
  db,
  now,
  settings: { fleet },
}: Pick<Context, 'db' | 'now' | 'settings'>): Promise<readonly string[]> =>
  (await selectHosts(db))
    .filter(
      ({ state, beat_at: beatAt }) =>
        state === 'lost' || beatAt === null || silentSince({ state, beatAt }, now, fleet.silentAfter) !== undefined,
    )
    .map(({ id }) => id)
