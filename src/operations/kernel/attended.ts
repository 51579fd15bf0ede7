import { selectAgents } from '../../db/agents.ts'
import { selectLastEnd } from '../../db/agent-runs.ts'
import { selectLiveLease } from '../../db/leases.ts'
import { type Instant, later } from '../../domain/time.ts'
import type { Context } from './core.ts'
import { SUPERVISOR } from './supervision.ts'

/**
 * True while an agent of any kind may be at work. One that is wanted counts while somebody supervises: its process may
 * have begun a moment before that is recorded. One that registered itself counts until it falls silent or signs off.
 */
export const doAgentsRun = async ({ db, tick }: Pick<Context, 'db' | 'tick'>): Promise<boolean> => {
  const agents = await selectAgents(db, { live: true, processes: ['none', 'wanted', 'started'] })
  if (agents.some(({ process, status }) => process === 'started' || (process === 'none' && status !== 'offline'))) return true
  return agents.some(({ process }) => process === 'wanted') && (await selectLiveLease(db, SUPERVISOR, tick)) !== undefined
}

/** Milliseconds after the end of a run within which a process that it left behind may still write. */
const AFTERMATH = 60_000

/** True where a change may be of a run that has ended: made before the end of the last one, or within a minute of it. `changedAt` null where it cannot be told. */
export const mayBeOfRun = async ({ db }: Pick<Context, 'db'>, changedAt: Instant | null): Promise<boolean> => {
  const end = await selectLastEnd(db)
  return end !== null && (changedAt === null || changedAt <= later(end, AFTERMATH))
}
