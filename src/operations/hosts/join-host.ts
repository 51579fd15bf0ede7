import { z } from 'zod'
import { insertHost, insertJoin, selectFleet, selectHosts, selectJoin, useJoin } from '../../db/hosts.ts'
import { mostOf, refuseBeyond } from '../../domain/rules/capacity.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { later } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { hostLabels } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { hashToken } from '../perform/token.ts'
import { hostView, viewHosts } from './list-hosts.ts'
import { findHost } from './steps/find-host.ts'

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
