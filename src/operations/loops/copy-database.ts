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
  const used = await whyInUse(from, now)
  if (used) throw new Refusal('invalid_state', `${used.why} ${used.advice}, then copy the board.`)
  return copyBoard(from, to, then)
}

/** The process or agent that works on a board, and how to end it; undefined if none does. */
export const whyInUse = async (
  { read }: Store,
  now: Instant,
): Promise<{ readonly why: string; readonly advice: string } | undefined> => {
  const [agent] = await selectAgents(read, { processes: ['wanted', 'started'] })
  if (agent)
    return {
      why: `Agent ${agent.id} is running.`,
      advice: `End it with 'aiswarm agent terminate ${agent.id}', or wait until it is done`,
    }
  const [lease] = await selectHeldLeases(read, now)
  return lease && { why: `Process ${lease.holder_pid} works on this board (${lease.name}).`, advice: 'End it' }
}
