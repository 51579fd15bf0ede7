import { z } from 'zod'
import { changeHost, saveFleet, selectFleet, selectHost, selectHosts } from '../../db/hosts.ts'
import { type NamedRemote, protocolOf, refPlaces } from '../../domain/host/remote.ts'
import { type Context, hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'

// The git remote through which hosts exchange code.

export const readRemote = operation({
  name: 'read_remote',
  summary: 'Read the git remote of the board, and whether its hosts exchange code through it',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      remote: z.string().nullable(),
      /** Where it takes the refs of aiswarm. */
      refs: z.enum(refPlaces),
      /** The remote, if there is more than one host; null otherwise. */
      used: remoteView().nullable(),
      hosts: z.int(),
      /** True if a person allows that uncommitted files are pushed there. */
      snapshots: z.boolean(),
    }),
  run: async (context) => {
    const { remote, remote_refs: refs, snapshots } = await selectFleet(context.db)
    return {
      ...{ remote, refs, snapshots },
      used: await usedRemote(context),
      hosts: (await selectHosts(context.db)).length,
    }
  },
})

export type RemoteRead = z.output<typeof readRemote.output>

export const setRemote = operation({
  name: 'set_remote',
  summary: 'Set the git remote through which the hosts of the board exchange code',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () =>
    z.strictObject({
      url: z.string().min(1).max(2000),
      /** Where it takes the refs of aiswarm. */
      refs: z.enum(refPlaces).default('own'),
    }),
  output: () => z.object({ remote: z.string() }),
  run: async ({ db }, { url, refs }) => {
    protocolOf(url)
    await saveFleet(db, { remote: url, remote_refs: refs })
    return { remote: url }
  },
  subject: ({ remote }) => ({ details: { remote } }),
})

export const setSnapshots = operation({
  name: 'set_snapshots',
  summary: 'Allow or forbid that the hosts push uncommitted work to the git remote, once a minute',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () => z.strictObject({ on: z.boolean() }),
  output: () => z.object({ on: z.boolean() }),
  run: async ({ db }, { on }) => {
    await saveFleet(db, { snapshots: on })
    return { on }
  },
  subject: ({ on }) => ({ details: { on } }),
})

export const recordRemote = operation({
  name: 'record_remote',
  summary: 'Record that the git remote of the board answers this host, or that it does not',
  access: 'beat',
  authority: 'system',
  input: () => z.strictObject({ answers: z.boolean() }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async (context, { answers }) => {
    const { db, now } = context
    const host = await selectHost(db, hostOf(context) ?? '')
    if (host === undefined) return { recorded: false }
    const since = answers ? null : (host.remote_silent_since ?? now)
    if (since === host.remote_silent_since) return { recorded: false }
    return { recorded: await changeHost(db, host.id, { states: [host.state] }, { remote_silent_since: since }) }
  },
})

/** A git remote, and where it takes the refs of aiswarm. */
export const remoteView = lazyObject(() => ({ url: z.string(), refs: z.enum(refPlaces) }))

/** The git remote of the board, if it has more than one host; null otherwise: then nothing is pushed or fetched. */
export const usedRemote = async ({ db, host }: Pick<Context, 'db' | 'host'>): Promise<NamedRemote | null> => {
  if (host === undefined) return null
  const { remote: url, remote_refs: refs } = await selectFleet(db)
  return url !== null && (await selectHosts(db)).length > 1 ? { url, refs } : null
}
