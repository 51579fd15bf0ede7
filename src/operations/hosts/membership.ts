import { z } from 'zod'
import {
  changeHost as change,
  insertHost,
  insertJoin,
  revokeJoins,
  selectFleet,
  selectHosts,
  selectJoin,
  useJoin,
} from '../../db/hosts.ts'
import type { HostState } from '../../domain/host/host.ts'
import { mostOf, refuseBeyond } from '../../domain/rules/capacity.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { later } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { hostLabels } from '../perform/schemas.ts'
import { hashToken } from '../perform/token.ts'
import { findHost } from './hosts.ts'
import { hostView, viewHosts } from './list.ts'

// A host joins the board, and a person changes it.

/** How long a code can be used (ms). */
const CODE_TTL = 15 * 60_000

export const makeJoinCode = operation({
  name: 'make_join_code',
  summary: 'Make a code with which one host can join the board, within 15 minutes',
  access: 'beat',
  authority: 'person',
  input: () => z.strictObject({ labels: hostLabels().default([]) }),
  output: () => z.object({ secret: z.string(), expiresAt: z.string() }),
  run: async ({ db, now, newToken }, { labels }) => {
    const secret = newToken()
    const expiresAt = later(now, CODE_TTL)
    await insertJoin(db, {
      code_hash: hashToken(secret),
      labels: JSON.stringify(labels),
      made_at: now,
      expires_at: expiresAt,
    })
    return { secret, expiresAt }
  },
})

export const joinHost = operation({
  name: 'join_host',
  summary: 'Add this checkout to the hosts of the board',
  access: 'write',
  authority: 'person',
  input: () =>
    z.strictObject({
      secret: z.string().min(1),
      /** Random letters, never used before. */
      hostId: z.string().regex(/^[a-z0-9]{8}$/),
      name: z.string().min(1).max(100),
      machine: z.string(),
      root: z.string(),
    }),
  output: hostView,
  run: async (context, { secret, hostId, name, machine, root }) => {
    const { db, now } = context
    const code = await selectJoin(db, hashToken(secret))
    if (!code)
      throw new Refusal('not_found', "The board does not know this code. Make one with 'aiswarm fleet join-code'.")
    if (code.expires_at <= now)
      throw new Refusal('not_allowed', "The code has expired. Make a new one with 'aiswarm fleet join-code'.")
    refuseBeyond(
      (await selectHosts(db)).length,
      mostOf.hosts,
      'hosts on the board',
      "Remove one that is not used any more with 'aiswarm host forget'.",
    )
    await insertHost(db, {
      id: hostId,
      name: await freeName(context, name),
      labels: code.labels,
      kinds: null,
      max_parallel: null,
      machine,
      root,
      program: null,
      beat_at: null,
      joined_at: now,
      generation: (await selectFleet(db)).generation,
    })
    if (!(await useJoin(db, code.code_hash, hostId)))
      throw new Refusal(
        'not_allowed',
        "Another host has used this code. Make a new one with 'aiswarm fleet join-code'.",
      )
    return (await viewHosts(context, [await findHost(db, hostId)]))[0]!
  },
  subject: ({ id, name }) => ({ details: { host: name, id } }),
})

/** The name of the machine, with a number if another host has it. */
const freeName = async ({ db }: Context, name: string): Promise<string> => {
  const taken = new Set((await selectHosts(db)).map((host) => host.name))
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name}-${n}`
    if (!taken.has(free)) return free
  }
}

export const revokeCodes = operation({
  name: 'revoke_codes',
  summary: 'Revoke the codes to join that no host has used',
  access: 'write',
  authority: 'person',
  input: () => z.strictObject({}),
  output: () => z.object({ revoked: z.int() }),
  run: async ({ db, now }) => ({ revoked: await revokeJoins(db, now) }),
  subject: ({ revoked }) => ({ details: { revoked } }),
})

/** The state in which each change finds a host, and the one in which it leaves it. */
const changes = {
  drain: { from: 'up', to: 'draining' },
  resume: { from: 'draining', to: 'up' },
} as const satisfies Record<string, { from: HostState; to: HostState }>

export const changeHost = operation({
  name: 'change_host',
  summary:
    'Let a host finish its work and start nothing new, or let it start work again; or set its labels, room, SSH address and account',
  access: 'write',
  authority: 'person',
  input: () =>
    z.strictObject({
      host: z.string().min(1),
      to: z.enum(['drain', 'resume']).optional(),
      /** True if the next worker there ends the drain. */
      untilStart: z.boolean().default(false),
      labels: hostLabels().optional(),
      /** Null: only the limit of the session. */
      maxParallel: z.int().min(0).max(1000).nullable().optional(),
      /** Null: it is not reached by SSH. */
      ssh: z
        .string()
        .regex(/^(?!-)(?:[\w.-]+@)?(?!-)[\w.:-]{1,253}$/, 'an SSH address is written as host or user@host')
        .nullable()
        .optional(),
      /** The name of the account as which its agents are logged in, if hosts share one; null: one of its own. */
      account: z.string().trim().min(1).max(100).nullable().optional(),
    }),
  output: hostView,
  run: async (context, { host: named, to, untilStart, labels, maxParallel, ssh, account }) => {
    const { db, now } = context
    const host = await findHost(db, named)
    if ([to, labels, maxParallel, ssh, account].every((change) => change === undefined))
      throw new Refusal(
        'invalid_input',
        `Nothing is to change on host ${host.name}. Name its labels, its room, its SSH address or its account.`,
      )
    // A person's drain outlasts one that was to end with the next worker.
    const isOutlasted = to === 'drain' && !untilStart && host.state === 'draining' && host.stopping_at !== null
    if (to !== undefined && host.state !== changes[to].from && !isOutlasted)
      throw new Refusal('invalid_state', refused(host.name, host.state, to))
    must(
      await change(
        db,
        host.id,
        { states: [host.state] },
        {
          ...(to === undefined
            ? {}
            : { state: changes[to].to, stopping_at: to === 'drain' && untilStart ? now : null }),
          ...(labels === undefined ? {} : { labels: JSON.stringify([...new Set(labels)]) }),
          ...(maxParallel === undefined ? {} : { max_parallel: maxParallel }),
          ...(ssh === undefined ? {} : { ssh }),
          ...(account === undefined ? {} : { account }),
        },
      ),
      `Host ${host.name}`,
    )
    return (await viewHosts(context, [await findHost(db, host.id)]))[0]!
  },
  subject: ({ name, state, labels }, { to }) => ({
    details: { host: name, state, labels, ...(to === undefined ? {} : { to }) },
  }),
})

const refused = (name: string, state: HostState, to: keyof typeof changes): string => {
  if (state === 'gone')
    return `Host ${name} was removed from the board. It comes back only with a new code of 'aiswarm fleet join-code'.`
  if (state === 'lost')
    return `Host ${name} is lost, so it cannot ${to}. It comes back when 'aiswarm worker' runs there.`
  return to === 'drain'
    ? `Host ${name} is draining already. 'aiswarm host resume ${name}' lets it start work again.`
    : `Host ${name} is not drained, so it need not be resumed.`
}
