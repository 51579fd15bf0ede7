import { timingSafeEqual } from 'node:crypto'
import { type Actor, person } from '../domain/actor.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Core } from '../operations/kernel/core.ts'
import { perform } from '../operations/kernel/perform.ts'
import { hashToken } from '../operations/kernel/token.ts'
import { readIdentity } from '../operations/read-identity.ts'

/** Who calls, from the environment: an agent that proves itself by its token, else a person. */
export const identityOf = async (core: Core, environment: Readonly<Record<string, string | undefined>>, system: Actor): Promise<Actor> => {
  const id = environment['AISWARM_AGENT_ID']
  // An agent of another repository's swarm that works on this one is nobody's agent here.
  const elsewhere = environment['AISWARM_ROOT'] !== undefined && environment['AISWARM_ROOT'] !== core.root
  if (id === undefined || id === '' || elsewhere) return person
  const { role, worktree, tokenHash } = await perform(core, readIdentity, { agentId: id }, system)
  const given = hashToken(environment['AISWARM_AGENT_TOKEN'] ?? '')
  if (tokenHash === null || !timingSafeEqual(Buffer.from(given), Buffer.from(tokenHash))) {
    throw new Refusal('not_allowed', `The token of agent ${id} is not valid (any more); its run is over.`)
  }
  return { kind: 'agent', id, role, worktree, tokenHash: given }
}
