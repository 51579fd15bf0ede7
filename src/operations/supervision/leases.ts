import { z } from 'zod'
import {
  releaseLease as release,
  renewLease as renew,
  selectHeldLeases,
  selectLease,
  takeLease as take,
} from '../../db/leases.ts'
import { beyond, mostOf } from '../../domain/rules/capacity.ts'
import { operation } from '../perform/operation.ts'

// The leases of exclusive roles: of supervisors, builders and consoles.

export const readRole = operation({
  name: 'read_role',
  summary: 'Say whether an exclusive role has no holder, because it was never taken or was given back',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ name: z.string() }),
  output: () => z.object({ free: z.boolean() }),
  run: async ({ db }, { name }) => ({ free: (await selectLease(db, name)) === undefined }),
})

export const takeLease = operation({
  name: 'take_lease',
  summary: 'Acquire or renew an exclusive role: the supervisor, the builder of worktrees',
  access: 'beat',
  // Renewed every few seconds: otherwise an idle console would reload the whole board each time.
  quiet: true,
  authority: 'system',
  input: () => z.strictObject({ name: z.string(), holder: z.string(), pid: z.int(), ttl: z.int().min(1) }),
  output: () =>
    z.object({
      granted: z.boolean(),
      holder: z.string(),
      holderPid: z.int(),
      expiresAt: z.string(),
      term: z.int(),
      /** How long no process has had the role although one had taken it (ms). */
      lapsed: z.int(),
    }),
  run: async ({ db, now, tick }, { name, holder, pid, ttl }) => {
    const { granted, lapsed } = await take(db, { name, holder, holder_pid: pid, now, tick, ttl })
    const lease = (await selectLease(db, name))!
    return {
      ...{ granted, lapsed, holder: lease.holder, holderPid: lease.holder_pid },
      ...{ expiresAt: lease.expires_at, term: lease.term },
    }
  },
})

export const renewLease = operation({
  name: 'renew_lease',
  summary: 'Renew an exclusive role that no other process has taken',
  access: 'beat',
  quiet: true,
  authority: 'system',
  input: () => z.strictObject({ name: z.string(), holder: z.string(), ttl: z.int().min(1) }),
  output: () => z.object({ held: z.boolean() }),
  run: async ({ db, now, tick }, { name, holder, ttl }) => ({
    held: await renew(db, { name, holder, now, tick, ttl }),
  }),
})

export const releaseLease = operation({
  name: 'release_lease',
  summary: 'Release an exclusive role',
  access: 'beat',
  authority: 'system',
  input: () => z.strictObject({ name: z.string(), holder: z.string() }),
  output: () => z.null(),
  run: async ({ db }, { name, holder }) => {
    await release(db, name, holder)
    return null
  },
})

/** The role of each console of a board on a server, with a number. */
const roleOf = (n: number): string => `console:${n}`

const QUIT = "Quit one that is not used, or use the commands ('aiswarm help')."

export const enterConsole = operation({
  name: 'enter_console',
  summary: 'Take a place for a console of this board, or refuse if there is none',
  access: 'beat',
  quiet: true,
  authority: 'system',
  input: () => z.strictObject({ holder: z.string(), pid: z.int(), ttl: z.int().min(1) }),
  output: () => z.object({ role: z.string() }),
  run: async ({ db, now, tick }, { holder, pid, ttl }) => {
    const held = new Set((await selectHeldLeases(db, now)).map(({ name }) => name))
    const roles = Array.from({ length: mostOf.consoles }, (_, n) => roleOf(n + 1))
    for (const role of roles.filter((one) => !held.has(one)))
      if ((await take(db, { name: role, holder, holder_pid: pid, now, tick, ttl })).granted) return { role }
    throw beyond(mostOf.consoles, mostOf.consoles, 'consoles open on this board', QUIT)
  },
})
