import { selectAgents } from '../../db/agents.ts'
import { changeHost } from '../../db/hosts.ts'
import { releaseLease, selectLease } from '../../db/leases.ts'
import type { HostRow } from '../../db/schema/hosts.ts'
import { LOST } from '../../domain/host/host.ts'
import { endStopped } from '../agents/steps/stop-agents.ts'
import type { Context } from '../perform/core.ts'
import { must } from '../perform/find.ts'
import { hostRole } from '../perform/roles.ts'

/**
 * Gives a host up: it gets a new epoch, its processes are refused from now on, and its agents end. Their tasks are pending
 * again without a used retry. Returns the agents that ended.
 */
export const giveUp = async (
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
