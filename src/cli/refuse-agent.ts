import { Refusal } from '../domain/refusal.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import type { Call } from './command.ts'

/** An agent without a token, or in a terminal that it has opened for itself, is still no person. `what` is a verb and its object. */
export const refuseAgent = async ({ environment }: Call, { actor, outside }: Connection, what: string): Promise<void> => {
  const agent = actor.kind === 'agent' ? actor.id : (environment['AISWARM_AGENT_ID'] ?? '')
  const starter = agent === '' ? await outside.agentAbove() : `agent ${agent}`
  if (starter !== undefined) throw new Refusal('not_allowed', `${starter[0]!.toUpperCase()}${starter.slice(1)} may not ${what}; only a person may do it.`)
}
