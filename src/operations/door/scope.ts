import type { RowScope } from '../../db/engine/store.ts'
import type { Actor } from '../../domain/agent/actor.ts'

/**
 * The scope of an operation on the agent that acts (and the task that it names); undefined if the call does not say which
 * agent that is.
 */
export const ofActing = (
  { agentId, taskId }: { readonly agentId?: string | undefined; readonly taskId?: number | undefined },
  actor: Actor,
): RowScope | undefined => {
  const acting = agentId ?? (actor.kind === 'agent' ? actor.id : undefined)
  return acting === undefined ? undefined : { agentId: acting, ...(taskId === undefined ? {} : { taskId }) }
}
