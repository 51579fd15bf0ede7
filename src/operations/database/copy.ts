import { selectAgents } from '../../db/agents.ts'
import { copyBoard, type CopyReport, explainLeft, isUntouched, type Leave } from '../../db/copy.ts'
import type { Store } from '../../db/engine/store.ts'
import { selectHosts } from '../../db/hosts.ts'
import { selectHeldLeases } from '../../db/leases.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { LOCAL } from '../../domain/host/host.ts'
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
  then?: (leave: Leave) => Promise<void>,
): Promise<CopyReport> => {
  const used = await whyInUse(from, now)
  if (used) throw new Refusal('invalid_state', `${used.why} ${used.advice}, then copy the board.`)
  if (to.engine === 'SQLite') await refuseElsewhere(from)
  return copyBoard(from, to, then)
}

/**
 * Runs `join` while nothing can be written to a board that has nothing of a person or an agent, and then leaves it for the
 * one at the place that `join` returns. Undefined, and nothing is run, if it has anything of them. Refuses while a process
 * works on it.
 */
export const leaveUntouched = <T>(
  from: Store,
  now: Instant,
  join: () => Promise<{ readonly joined: T; readonly at: string }>,
): Promise<{ readonly joined: T } | undefined> =>
  from.write(async (db) => {
    if (!(await isUntouched(db))) return undefined
    const used = await whyInUse(from, now)
    if (used) throw new Refusal('invalid_state', `${used.why} ${used.advice}, then join.`)
    const { joined, at } = await join()
    await from.maintenance.leave(at, db)
    return { joined }
  })

/** Opens the board that a copy fills; `place` is its address. */
export const openTarget = (open: () => Promise<Store>, place: string): Promise<Store> =>
  open().catch(explainLeft({ path: place }))

/** A board in a database file has one host, so no work may remain on another one. */
const refuseElsewhere = async ({ read }: Store): Promise<void> => {
  const worktrees = await selectWorktrees(read, { folders: ['building', 'ready', 'leaving'] })
  const elsewhere = worktrees.filter(({ host_id }) => host_id !== LOCAL)
  if (elsewhere.length === 0) return
  const hosts = new Map((await selectHosts(read)).map(({ id, name }) => [id, name]))
  const names = elsewhere.map(({ name, host_id }) => `${name} on ${hosts.get(host_id) ?? host_id}`)
  throw new Refusal(
    'invalid_state',
    `Worktrees are on other hosts, which a board in a file does not have: ${names.join(', ')}. Move each with 'aiswarm worktree move W --host H', merge or discard it, then copy the board.`,
  )
}

/**
 * The process or agent that works on a board, and how to end it; undefined if none does. `wall` is the clock of this
 * machine, which counts for a board without a clock of its own.
 */
export const whyInUse = async (
  { read, now }: Store,
  wall: Instant,
): Promise<{ readonly why: string; readonly advice: string } | undefined> => {
  const [agent] = await selectAgents(read, { processes: ['wanted', 'started'] })
  if (agent)
    return {
      why: `Agent ${agent.id} is running.`,
      advice: `End it with 'aiswarm agent terminate ${agent.id}', or wait until it is done`,
    }
  const [lease] = await selectHeldLeases(read, now?.() ?? wall)
  return lease && { why: `Process ${lease.holder_pid} works on this board (${lease.name}).`, advice: 'End it' }
}
