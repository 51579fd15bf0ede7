import { selectAgents } from '../../db/agents.ts'
import { type CopyReport, copyBoard } from '../../db/copy/copy.ts'
import type { Store } from '../../db/engine/store.ts'
import { selectHeldLeases } from '../../db/leases.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Instant } from '../../domain/words/time.ts'

/**
 * Copies a board on which nothing works to an empty one, whatever the engines; refuses while a process or an agent works.
 * `then` runs after the copy is committed, and before anything can be written to the original.
 */
export const copyDatabase = async (
  from: Store,
  to: Store,
  now: Instant,
  then?: () => Promise<void>,
): Promise<CopyReport> => {
  const [lease] = await selectHeldLeases(from.read, now)
  if (lease)
    throw new Refusal(
      'invalid_state',
      `Process ${lease.holder_pid} works on this board (${lease.name}). End it, then copy the board.`,
    )
  const [agent] = await selectAgents(from.read, { processes: ['wanted', 'started'] })
  if (agent)
    throw new Refusal(
      'invalid_state',
      `Agent ${agent.id} is running. End it with 'aiswarm agent terminate ${agent.id}', or wait until it is done, then copy the board.`,
    )
  return copyBoard(from, to, then)
}
