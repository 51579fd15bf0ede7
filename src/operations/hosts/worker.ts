import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { beat, changeHost, selectFleet } from '../../db/hosts.ts'
import { selectLease, takeLease as take } from '../../db/leases.ts'
import { selectTasks } from '../../db/tasks.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { hostStates } from '../../domain/host/host.ts'
import { isOver } from '../../domain/task/task.ts'
import { later } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { hostRole } from '../perform/roles.ts'
import { hostLabels } from '../perform/schemas.ts'
import { findHost } from './hosts.ts'
import { unpushedOn } from './list.ts'

// The process that runs the agents of a host.

export const takeHost = operation({
  name: 'take_host',
  summary: 'Acquire or renew the role of the process that runs the agents of a host, and record that the host is there',
  access: 'beat',
  // Renewed every few seconds, as the role of the supervisor.
  quiet: true,
  authority: 'system',
  input: () =>
    z.strictObject({
      hostId: z.string(),
      holder: z.string(),
      pid: z.int(),
      ttl: z.int().min(1),
      /** The main checkout there, the version of aiswarm, and the agent kinds whose programs are installed. */
      root: z.string(),
      program: z.string(),
      kinds: z.array(z.string()),
      /** Why nothing new can start there now; null if it can. */
      hold: z.string().max(500).nullable().default(null),
      /** How many processes the machine carries, if that is known. */
      room: z.int().min(1).nullable().default(null),
      /** The load for each processor, and the part of its memory that is available; null if that is not known. */
      load: z.number().min(0).nullable().default(null),
      memoryFree: z.number().min(0).max(1).nullable().default(null),
      /** Why it should get nothing new while other hosts can take it; null if it may. */
      brake: z.string().max(500).nullable().default(null),
      /** The user as whom its agents run, and why they are in no sandbox: null if they are; absent: not known yet. */
      agentsAs: z.string().max(200).optional(),
      unconfined: z.string().max(500).nullable().optional(),
      /** For how long it has had commits that the git remote has not (ms). */
      unpushedFor: z.int().min(0).nullable().default(null),
      /** How long ago the process was started (ms). */
      upFor: z.int().min(0).nullable().default(null),
      /** The most processes at a time, if the process was started with such a limit. */
      maxParallel: z.int().min(0).optional(),
      /** Its labels, if the process was started with some. */
      labels: hostLabels().optional(),
    }),
  output: () =>
    z.object({
      granted: z.boolean(),
      state: z.enum(hostStates),
      holder: z.string(),
      holderPid: z.int().nullable(),
      term: z.int(),
      /** The heartbeat that is acknowledged with the answer; null if the host was not granted. */
      beat: z.object({ generation: z.int(), seq: z.int(), joinedAt: z.string().nullable() }).nullable(),
    }),
  run: async (
    { db, now, tick },
    { hostId, holder, pid, ttl, root, program, kinds, hold, room, unpushedFor, maxParallel, labels, upFor, ...machine },
  ) => {
    const host = await findHost(db, hostId)
    const { generation } = await selectFleet(db)
    // A host from before the board was restored comes back as one that was lost.
    const state = host.generation < generation && host.state !== 'gone' ? 'lost' : host.state
    if (state === 'lost' || state === 'gone')
      return { granted: false, state, holder: '', holderPid: null, term: 0, beat: null }
    const isStart =
      upFor !== null && host.stopping_at !== null && state === 'draining' && later(now, -upFor) > host.stopping_at
    const name = hostRole(hostId)
    const { granted: taken } = await take(db, { name, holder, holder_pid: pid, now, tick, ttl })
    const granted =
      taken &&
      (await changeHost(
        db,
        hostId,
        { states: ['up', 'draining'] },
        {
          root,
          program,
          kinds: JSON.stringify(kinds),
          hold,
          room,
          load: machine.load,
          memory_free: machine.memoryFree,
          brake: machine.brake,
          unpushed_at: unpushedFor === null ? null : later(now, -unpushedFor),
          beat_at: now,
          ...(isStart ? { state: 'up' as const, stopping_at: null } : {}),
          ...(maxParallel === undefined ? {} : { max_parallel: maxParallel }),
          ...(machine.agentsAs === undefined ? {} : { agents_as: machine.agentsAs }),
          ...(machine.unconfined === undefined ? {} : { unconfined: machine.unconfined ?? '' }),
          ...(labels === undefined ? {} : { labels: JSON.stringify([...new Set(labels)]) }),
        },
      ))
    const lease = (await selectLease(db, name))!
    return {
      ...{
        granted,
        state: isStart && granted ? 'up' : state,
        holder: lease.holder,
        holderPid: lease.holder_pid,
        term: lease.term,
      },
      beat: granted ? { generation, seq: await beat(db, hostId), joinedAt: host.joined_at } : null,
    }
  },
})

export const endWorker = operation({
  name: 'end_worker',
  summary: 'Record that the worker of a drained host has ended with nothing left there: its silence is no loss then',
  access: 'beat',
  quiet: true,
  authority: 'system',
  input: () => z.strictObject({ hostId: z.string() }),
  output: () => z.object({ gone: z.boolean() }),
  run: async (context, { hostId }) => {
    const { state } = await findHost(context.db, hostId)
    if (state !== 'draining' || (await hasWork(context, hostId))) return { gone: false }
    // Without a heartbeat there is none that could be missed; the next worker of the host sends one.
    return { gone: await changeHost(context.db, hostId, { states: ['draining'] }, { beat_at: null }) }
  },
})

/** True if others would have to continue something of this host. */
const hasWork = async (context: Context, hostId: string): Promise<boolean> => {
  const { db } = context
  const agents = await selectAgents(db, { live: true, processes: ['wanted', 'started'] })
  if (agents.some(({ host_id: host }) => host === hostId) || (await unpushedOn(context, hostId)).length > 0) return true
  const own = (await selectWorktrees(db, { folders: ['building', 'ready', 'leaving'] })).filter(
    ({ host_id: host }) => host === hostId,
  )
  for (const { name, folder, move_to: to } of own)
    if (
      folder !== 'ready' ||
      to !== null ||
      (await selectTasks(db, { worktree: name })).some(({ status }) => !isOver(status))
    )
      return true
  return false
}
