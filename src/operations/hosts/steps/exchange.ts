import { z } from 'zod'
import { selectFleet, selectHosts } from '../../../db/hosts.ts'
import { type NamedRemote, refPlaces } from '../../../domain/host/remote.ts'
import type { Context } from '../../perform/core.ts'
import { lazyObject } from '../../perform/schemas.ts'

/** A git remote, and where it takes the refs of aiswarm. */
export const remoteView = lazyObject(() => ({ url: z.string(), refs: z.enum(refPlaces) }))

/** The git remote of the board, if it has more than one host; null otherwise: then nothing is pushed or fetched. */
export const usedRemote = async ({ db, host }: Pick<Context, 'db' | 'host'>): Promise<NamedRemote | null> => {
  if (host === undefined) return null
  const { remote: url, remote_refs: refs } = await selectFleet(db)
  return url !== null && (await selectHosts(db)).length > 1 ? { url, refs } : null
}
