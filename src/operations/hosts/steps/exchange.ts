import { selectFleet, selectHosts } from '../../../db/hosts.ts'
import type { Context } from '../../door/core.ts'

/** The git remote of the board, if it has more than one host; null otherwise: then nothing is pushed or fetched. */
export const usedRemote = async ({ db, host }: Pick<Context, 'db' | 'host'>): Promise<string | null> => {
  if (host === undefined) return null
  const { remote } = await selectFleet(db)
  return remote !== null && (await selectHosts(db)).length > 1 ? remote : null
}
