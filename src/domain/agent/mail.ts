// Mail between agents, and from agents to the person: information for its reader, never an order that aiswarm obeys.

/** The most characters of a message: longer texts belong in a file, a task or a memory. */
export const LONGEST_MAIL = 4000

/** The most messages of one author within `MAIL_SPAN` (ms). A message to three agents counts as three. */
export const MOST_MAIL = 10
export const MAIL_SPAN = 10 * 60_000

/** The most messages that wait for one reader. */
export const MOST_UNREAD = 20

export type Address =
  | { readonly kind: 'person' }
  | { readonly kind: 'planner' }
  | { readonly kind: 'persona'; readonly personaId: string }
  | { readonly kind: 'agent'; readonly agentId: string }

const PERSONA = 'persona:'

/** `person`, `planner`, `persona:tester`, or the id of an agent. */
export const addressOf = (to: string): Address => {
  if (to === 'person' || to === 'human') return { kind: 'person' }
  if (to === 'planner') return { kind: 'planner' }
  return to.startsWith(PERSONA)
    ? { kind: 'persona', personaId: to.slice(PERSONA.length) }
    : { kind: 'agent', agentId: to }
}
