import { nameOf } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Connection } from '../../operations/door/connection.ts'
import type { Call } from './command.ts'

/**
 * Refuses an agent, with or without its token, even in a terminal that it opened itself. `what` is a verb and its
 * object.
 */
export const refuseAgent = ({ environment }: Call, { actor }: Connection, what: string): void => {
  const claimed = environment['AISWARM_AGENT_ID'] ?? ''
  if (actor.kind === 'person' && claimed === '') return
  const who =
    actor.kind === 'agent' ? `Agent ${actor.id}` : actor.kind === 'person' ? `Agent ${claimed}` : nameOf(actor)
  throw new Refusal('not_allowed', `${who} may not ${what}; only a person may do it.`)
}
