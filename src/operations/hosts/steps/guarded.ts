import { holdRequested } from '../../../db/integrations.ts'
import {
  recordDifference,
  recordHostDifference,
  selectGuard,
  selectHostGuard,
  trust,
  trustHostGuard,
} from '../../../db/repository.ts'
import type { Db } from '../../../db/engine/db.ts'
import { LOCAL } from '../../../domain/host/host.ts'
import { findHost } from '../hosts.ts'

type Row = Omit<NonNullable<Awaited<ReturnType<typeof selectGuard>>>, 'id'>
type Difference = Parameters<typeof recordDifference>[1]

/** The record of what git obeys in one clone: in the main checkout, with aiswarm's own configuration, or on another host. */
export interface Guarded {
  /** The name of the host; null for the main checkout. */
  readonly host: string | null
  readonly select: () => Promise<Row | undefined>
  readonly trust: (found: Parameters<typeof trust>[1]) => Promise<void>
  readonly recordDifference: (difference: Difference) => Promise<void>
  /** Merges are made in the main checkout, so only its changes hold them up. */
  readonly hold: (problem: string | null) => Promise<unknown>
}

/** `host`: the name or the id of a host; without it the main checkout. */
export const guardedOf = async (db: Db, host: string | undefined): Promise<Guarded> => {
  const row = host === undefined ? undefined : await findHost(db, host)
  if (row === undefined || row.id === LOCAL)
    return {
      host: null,
      select: () => selectGuard(db),
      trust: (found) => trust(db, found),
      recordDifference: (difference) => recordDifference(db, difference),
      hold: (problem) => holdRequested(db, problem),
    }
  return {
    host: row.name,
    select: () => selectHostGuard(db, row.id),
    trust: (found) => trustHostGuard(db, row.id, found),
    recordDifference: (difference) => recordHostDifference(db, row.id, difference),
    hold: () => Promise.resolve(),
  }
}
