import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { changeHost, selectHost, settleReturns } from '../../db/hosts.ts'
import { releaseLease, selectLease } from '../../db/leases.ts'
import type { HostRow } from '../../db/schema/hosts.ts'
import { LOCAL, LOST, silentSince } from '../../domain/host/host.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { findHost } from '../hosts/hosts.ts'
import { hostView, viewHosts } from '../hosts/list.ts'
import type { Context } from '../perform/core.ts'
import { must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { hostRole, refuseUnlessLeading } from '../perform/roles.ts'
import { endStopped } from '../runs/agents.ts'

// A host is declared lost, and its agents end; a person sees what it had when it came back.

export const loseHost = operation({
  name: 'lose_host',
  summary: 'Declare a host lost: its agents do not count any more, and their tasks can be worked on elsewhere',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () => z.strictObject({ host: z.string().min(1) }),
  output: () => hostView().extend({ ended: z.array(z.string()) }),
  run: async (context, { host: named }) => {
    const { db } = context
    const host = await findHost(db, named)
    const { id, name, state } = host
    if (id === LOCAL)
      throw new Refusal(
        'invalid_state',
        `Host ${name} has the main checkout of this board, so it cannot be declared lost. Start aiswarm there again.`,
      )
    if (state === 'lost' || state === 'gone') throw new Refusal('invalid_state', `Host ${name} is ${state} already.`)
    const ended = await giveUp(context, host)
    return { ...(await viewHosts(context, [await findHost(db, id)]))[0]!, ended }
  },
  subject: ({ name, epoch, ended }) => ({ details: { host: name, epoch, ended } }),
})

export const loseSilentHost = operation({
  name: 'lose_silent_host',
  summary: 'Declare a host lost that has been silent for too long, by the process that plans for the board',
  access: 'write',
  authority: 'system',
  /** `beatAt`: the last heartbeat that was seen, since a later one refutes the silence. */
  input: () => z.strictObject({ hostId: z.string(), beatAt: z.string() }),
  output: () => z.object({ lost: z.boolean(), name: z.string(), epoch: z.int(), ended: z.array(z.string()) }),
  run: async (context, { hostId, beatAt }) => {
    await refuseUnlessLeading(context)
    const { db, now, settings } = context
    const host = await findHost(db, hostId)
    const { name, epoch } = host
    const isLost =
      // The main checkout is there, and no other host has its work.
      hostId !== LOCAL &&
      host.beat_at === beatAt &&
      silentSince({ state: host.state, beatAt }, now, settings.fleet.lostAfter) !== undefined
    const ended = isLost ? await giveUp(context, host) : []
    return { lost: isLost, name, epoch: (await selectHost(db, hostId))?.epoch ?? epoch, ended }
  },
  subject: ({ lost, name, epoch, ended }) => (lost ? { details: { host: name, epoch, ended } } : null),
})

/**
 * Gives a host up: it gets a new epoch, its processes are refused from now on, and its agents end. Their tasks are pending
 * again without a used retry. Returns the agents that ended.
 */
const giveUp = async (
  context: Context,
  { id, name, state, epoch }: Pick<HostRow, 'id' | 'name' | 'state' | 'epoch'>,
): Promise<string[]> => {
  const { db } = context
  const drained = state === 'draining' ? 1 : 0
  must(
    await changeHost(db, id, { states: [state] }, { state: 'lost', epoch: epoch + 1, lost_drained: drained }),
    `Host ${name}`,
  )
  // Its processes are refused because their term has ended.
  const lease = await selectLease(db, hostRole(id))
  if (lease) await releaseLease(db, hostRole(id), lease.holder)
  const ended: string[] = []
  for (const agent of await selectAgents(db, { live: true, processes: ['wanted', 'started'] })) {
    if (agent.host_id !== id) continue
    await endStopped(context, agent, LOST)
    ended.push(agent.id)
  }
  return ended
}

export const settleReturn = operation({
  name: 'settle_return',
  summary: 'Record that a person has seen what a host had when it came back; its worktrees stay as they are',
  access: 'write',
  authority: 'person',
  input: () => z.strictObject({ host: z.string().min(1) }),
  output: () => z.object({ name: z.string() }),
  run: async ({ db, now }, { host: named }) => {
    const { id, name } = await findHost(db, named)
    if (!(await settleReturns(db, id, now)))
      throw new Refusal('invalid_state', `Nothing of host ${name} waits for a person.`)
    return { name }
  },
  subject: ({ name }) => ({ details: { host: name } }),
})
