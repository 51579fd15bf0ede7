import { bytes } from '../words/bytes.ts'

/** A limit of an agent that its processes have reached, as it is recorded. */
export type Reached = { readonly limit: 'memory' | 'processes'; readonly most: number }

/** Why a run failed, for its task; begins with the agent's name. */
export const reachedWords = (agentId: string, { limit, most }: Reached): string =>
  limit === 'memory'
    ? `${agentId} was stopped because its processes used more memory than its limit of ${bytes(most)} (limits.memory). The task did not use up a retry.`
    : `${agentId} failed because its processes reached its limit of ${most} (limits.processes). The task did not use up a retry.`
