import { selectAgents } from '../../db/agents.ts'
import { selectLease } from '../../db/leases.ts'
import type { Context } from './core.ts'
import { SUPERVISOR } from './supervision.ts'

/**
 * True while an agent that aiswarm started may be at work. One that is wanted counts while somebody supervises: its process
 * may have begun a moment before that is recorded.
 */
export const doAgentsRun = async ({ db, now }: Pick<Context, 'db' | 'now'>): Promise<boolean> => {
  const agents = await selectAgents(db, { live: true, processes: ['wanted', 'started'] })
  if (agents.some(({ process }) => process === 'started')) return true
  return agents.length > 0 && ((await selectLease(db, SUPERVISOR))?.expires_at ?? '') > now
}
