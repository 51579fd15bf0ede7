import { nameOf } from '../domain/actor.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import type { Call } from './command.ts'

/** An agent with or without its token is not a person, also in a terminal that it opened for itself. `what` is a verb and its object. */
export const refuseAgent = ({ environment }: Call, { actor }: Connection, what: string): void => {
  const claimed = environment['AISWARM_AGENT_ID'] ?? ''
  if (actor.kind === 'person' && claimed === '') return
  const who = actor.kind === 'agent' ? `Agent ${actor.id}` : actor.kind === 'person' ? `Agent ${claimed}` : nameOf(actor)
  throw new Refusal('not_allowed', `${who} may not ${what}; only a person may do it.`)
}
