import type { Actor } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { text } from './values.ts'
import { naming, option } from './words.ts'

/** `--agent A`: an agent may omit it, because its connection identifies it. */
export const agentWord = naming('agents', option('--agent', 'A', 'Agent that acts; an agent may omit it', text))

export const agentOf = (agent: string | undefined, actor: Actor): string => {
  if (agent !== undefined) return agent
  if (actor.kind === 'agent') return actor.id
  throw new Refusal('invalid_input', "option '--agent <A>' is required: name the agent that acts.")
}
