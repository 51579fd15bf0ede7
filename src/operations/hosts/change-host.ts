import { z } from 'zod'
import { changeHost as change } from '../../db/hosts.ts'
import type { HostState } from '../../domain/host/host.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { hostLabels } from '../perform/schemas.ts'
import { must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { hostView, viewHosts } from './list-hosts.ts'
import { findHost } from './steps/find-host.ts'

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
