import { selectAgent } from '../../db/agents.ts'
import type { Db } from '../../db/engine/db.ts'
import { selectRuns } from '../../db/runs.ts'
import { isTrusted } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { startsFreer } from '../../domain/sandbox/unconfined.ts'
import type { Context } from '../perform/core.ts'

// An agent causes only what runs as confined as itself: a start without a sandbox that one in a sandbox asks for needs a person.

/** An agent that starts, or would. */
interface Start {
  readonly personaId: string
  readonly kind: string
}

/** Refuses to start an agent without a sandbox for one that is in a sandbox. */
export const refuseFreer = async (
  context: Pick<Context, 'db' | 'actor' | 'unconfined'>,
  start: Start,
): Promise<void> => {
  const { actor } = context
  const why = isTrusted(actor) ? undefined : await whyFreer(context, actor.kind === 'agent' ? actor.id : null, start)
  if (why !== undefined)
    throw new Refusal(
      'not_allowed',
      `${why}. Only a person may start it; leave a task for it, which then waits for one.`,
    )
}

/** Why the agent that asks for a start may not cause it; undefined if it may, or if a person asks. */
export const whyFreer = async (
  { db, unconfined }: Pick<Context, 'db' | 'unconfined'>,
  by: string | null,
  start: Start,
): Promise<string | undefined> => {
  if (!isAgent(by)) return undefined
  const why = unconfined?.(start)
  return why !== undefined && (await isConfined(db, by)) ? startsFreer(by, start, why) : undefined
}

/** Whether the creator of a row is an agent, and not a person or the program. */
export const isAgent = (by: string | null): by is string => by !== null && by !== 'human' && by !== 'aiswarm'

/** Agents that register one another: a longer chain counts as confined. */
const DEEPEST = 10

/**
 * Whether an agent is in a sandbox, by the record of its latest run; a start that is not recorded yet counts as one. An
 * agent that aiswarm has not started is where the agent is that registered it; a person may have registered it anywhere.
 */
export const isConfined = async (db: Db, agentId: string, depth = 0): Promise<boolean> => {
  const agent = await selectAgent(db, agentId)
  if (agent?.process === 'none')
    return agent.parent_agent_id !== null && (depth > DEEPEST || isConfined(db, agent.parent_agent_id, depth + 1))
  const last = (await selectRuns(db, { agentId })).at(-1)
  return agent !== undefined && (last?.unconfined ?? null) === null
}
