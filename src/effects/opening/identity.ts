import { timingSafeEqual } from 'node:crypto'
import { type Actor, below, person } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/perform/perform.ts'
import { hashToken } from '../../operations/perform/token.ts'
import { readIdentity } from '../../operations/agents/list.ts'
import { agentAbove } from './ancestry.ts'
import type { World } from '../world.ts'

/**
 * Determines the caller, the one check at the door of every command and server. An agent proves its identity by its
 * token. A caller without one is a person only if no ancestor process is an agent, whatever its environment says;
 * otherwise it is a client.
 */
export const identityOf = async (
  world: World,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Actor> => {
  const { core, actor } = world
  const id = environment['AISWARM_AGENT_ID'] ?? ''
  const elsewhere = environment['AISWARM_ROOT'] !== undefined && environment['AISWARM_ROOT'] !== core.root
  if (id === '' || elsewhere) {
    const above = (await agentAbove(world)) ?? (id === '' ? undefined : `agent ${id}`)
    return above === undefined ? person : below(above)
  }
  const { role, worktree, tokenHash } = await perform(core, readIdentity, { agentId: id }, actor)
  const given = hashToken(environment['AISWARM_AGENT_TOKEN'] ?? '')
  if (tokenHash === null || !timingSafeEqual(Buffer.from(given), Buffer.from(tokenHash))) {
    throw new Refusal('not_allowed', `The token of agent ${id} is not valid, or its run has ended.`)
  }
  return { kind: 'agent', id, role, worktree, tokenHash: given }
}
