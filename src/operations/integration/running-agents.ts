import { selectAgents } from '../../db/agents.ts'
import { selectLiveLease } from '../../db/leases.ts'
import { selectLastEnd, selectRunsAround } from '../../db/runs.ts'
import { type Instant, later } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { SUPERVISOR } from '../perform/roles.ts'

/**
 * True while an agent of any kind may be running. A requested one counts while a supervisor runs, because its process
 * may have begun before that was recorded. One that registered itself counts until it is silent for too long or signs
 * off.
 */
export const doAgentsRun = async ({ db, tick }: Pick<Context, 'db' | 'tick'>): Promise<boolean> => {
  const agents = await selectAgents(db, { live: true, processes: ['none', 'wanted', 'started'] })
  if (agents.some(({ process, status }) => process === 'started' || (process === 'none' && status !== 'offline')))
    return true
  return (
    agents.some(({ process }) => process === 'wanted') && (await selectLiveLease(db, SUPERVISOR, tick)) !== undefined
  )
}

/** Milliseconds after the end of a run within which a process that it left running may still write. */
const AFTERMATH = 60_000

/**
 * True if an ended run may have made a change: at the latest a minute after the end of the last run. `changedAt` is
 * null if unknown.
 */
export const mayBeOfRun = async ({ db }: Pick<Context, 'db'>, changedAt: Instant | null): Promise<boolean> => {
  const end = await selectLastEnd(db)
  return end !== null && (changedAt === null || changedAt <= later(end, AFTERMATH))
}

/**
 * The agents that may have made a change at one of these times: those that ran then, or had ended within the minute
 * before. `launching` are agents whose process has begun and is not recorded yet.
 */
export const agentsAt = async (
  { db }: Pick<Context, 'db'>,
  times: readonly Instant[],
  launching: readonly string[],
): Promise<readonly string[]> => {
  const [first, last] = [times.toSorted()[0]!, times.toSorted().at(-1)!]
  const runs = await selectRunsAround(db, later(first, -AFTERMATH), later(last, AFTERMATH))
  const registered = (await selectAgents(db, { processes: ['none'] })).map(
    ({ id, status, registered_at, ended_at, last_heartbeat }) => ({
      agent_id: id,
      started_at: registered_at,
      ended_at: status === 'terminated' ? ended_at : status === 'offline' ? last_heartbeat : null,
    }),
  )
  const ran = [...runs, ...registered].filter(({ started_at, ended_at }) =>
    times.some((at) => later(started_at, -AFTERMATH) <= at && (ended_at === null || at <= later(ended_at, AFTERMATH))),
  )
  return [...new Set([...ran.map(({ agent_id }) => agent_id), ...launching])]
}
