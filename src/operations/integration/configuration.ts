import { z } from 'zod'
import type { Db } from '../../db/engine/db.ts'
import { holdRequested } from '../../db/integrations.ts'
import {
  recordDifference,
  recordHostDifference,
  selectGuard,
  selectHostGuard,
  trust,
  trustHostGuard,
} from '../../db/repository.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { findHost } from '../hosts/hosts.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'
import { doAgentsRun } from './running-agents.ts'

// The trusted configuration of the repository and of aiswarm, and the differences from it.

const guardView = lazyObject(() => ({
  hash: z.string(),
  entries: z.record(z.string(), z.string()),
  acceptedBy: z.string(),
  acceptedAt: z.string(),
  /** The differences now; null if there are none. */
  changed: z
    .object({
      hash: z.string(),
      entries: z.record(z.string(), z.string()),
      lines: z.array(z.string()),
      since: z.string(),
    })
    .nullable(),
  /** True if an agent may be changing it at this moment. */
  agentsRun: z.boolean(),
}))
export type GuardView = z.output<ReturnType<typeof guardView>>

export const readGuard = operation({
  name: 'read_guard',
  summary:
    'Read the trusted configuration, hooks and attributes of the repository and of aiswarm, and the differences from them',
  access: 'read',
  authority: 'anyone',
  /** A host other than the first has only git's configuration of its clone. */
  input: () => z.strictObject({ host: z.string().optional() }),
  output: () => guardView().nullable(),
  run: async (context, { host }) => {
    const row = await (await guardedOf(context.db, host)).select()
    if (!row) return null
    return {
      hash: row.hash,
      entries: JSON.parse(row.entries) as Record<string, string>,
      acceptedBy: row.accepted_by,
      acceptedAt: row.accepted_at,
      changed:
        row.changed_hash === null
          ? null
          : {
              hash: row.changed_hash,
              entries: JSON.parse(row.changed_entries!) as Record<string, string>,
              lines: JSON.parse(row.changes!) as string[],
              since: row.changed_at!,
            },
      agentsRun: await doAgentsRun(context),
    }
  },
})

type Row = Omit<NonNullable<Awaited<ReturnType<typeof selectGuard>>>, 'id'>
type Difference = Parameters<typeof recordDifference>[1]

/** The record of what git obeys in one clone: in the main checkout, with aiswarm's own configuration, or on another host. */
interface Guarded {
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
