import { z } from 'zod'
import { changeAgent, renewHeartbeats, selectHeldTasks, selectSilentAgents, selectUntaken } from '../../db/agents.ts'
import { deleteCallResultsBefore } from '../../db/events.ts'
import { selectHost } from '../../db/hosts.ts'
import { adoptDeadlines, areAllOver, extendLeases, extendOnHosts } from '../../db/leases.ts'
import { restartDelays, selectExpiredLeases } from '../../db/task-queue.ts'
import { duration, later } from '../../domain/words/time.ts'
import { newerHost, silentHosts } from '../hosts/liveness.ts'
import { endMessagesOfEndedTasks } from '../messages/messages.ts'
import { findAgent, findTask } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { refuseLapsed, refuseUnlessLeading } from '../perform/roles.ts'
import { agentId } from '../perform/schemas.ts'
import { expireRequests } from '../requests/requests.ts'
import { endNotStarted } from '../runs/processes.ts'
import { endedOf, endedTask, releaseHeld, waitingTask } from '../tasks/attempts.ts'

// Leases of live agents are renewed; expired leases and runs that did not start in time are released.

export const sweep = operation({
  name: 'sweep',
  summary: 'Mark silent agents offline, release their tasks, and deny requests that were not answered in time',
  access: 'write',
  authority: 'system',
  /**
   * `stood`: the sweeping process was stopped for a while, or the board was away, so every lease gets a new term before it is judged. `first`: it
   * has just taken the role, and would not know of a jump of the clock before. `program`: its version of aiswarm.
   */
  input: () =>
    z.strictObject({
      stood: z.boolean().optional(),
      first: z.boolean().optional(),
      program: z.string().optional(),
    }),
  output: () =>
    z.object({
      offline: z.array(z.string()),
      released: z.array(z.int()),
      expired: z.array(z.int()),
      ended: z.array(endedTask()),
      /** A host with a newer aiswarm that should have the role, so that rules do not change to and fro. */
      newer: z.object({ name: z.string(), program: z.string() }).optional(),
    }),
  run: async (context, { stood = false, first = false, program = '' }) => {
    await refuseUnlessLeading(context)
    const { db, now, tick, ahead, settings } = context
    await adoptDeadlines(
      db,
      tick,
      { lease: settings.lease.ttl, request: settings.permissions.timeout },
      { all: stood || ahead || (first && tick.boot === 'wall' && (await areAllOver(db, tick))) },
    )
    const offline: string[] = []
    const released: number[] = []
    const silent = await silentHosts(context)
    // When their host is heard of again, they get time to be heard themselves.
    await extendOnHosts(db, silent, tick, settings.lease.ttl)
    // Agents that aiswarm started are judged by their process, not by this clock.
    for (const agent of await selectSilentAgents(db, tick, silent)) {
      if (!(await changeAgent(db, agent.id, { status: agent.status, process: 'none' }, { status: 'offline' }))) continue
      offline.push(agent.id)
      for (const held of await selectHeldTasks(db, [agent.id])) {
        if (held.status !== 'claimed') continue
        await releaseHeld(context, await findTask(db, held.task_id), {
          outcome: 'lost',
          why: `Agent ${agent.id} became silent before it started.`,
        })
        released.push(held.task_id)
      }
    }
    for (const id of await selectExpiredLeases(db, tick, silent)) {
      const task = await findTask(db, id)
      await releaseHeld(context, task, {
        outcome: 'lost',
        why: `The lease of attempt ${task.attempt} expired: agent ${task.assigned_agent_id} sent no heartbeat.`,
      })
      released.push(id)
    }
    await restartDelays(db, now)
    const expired = await expireRequests(context)
    await endMessagesOfEndedTasks(context)
    // A call is not repeated after a day.
    await deleteCallResultsBefore(db, later(now, -86_400_000))
    const newer = program === '' ? null : await newerHost(context, program)
    return { offline, released, expired, ended: await endedOf(db, released), ...(newer === null ? {} : { newer }) }
  },
  subject: ({ newer: _, ...found }) =>
    found.offline.length + found.released.length + found.expired.length > 0 ? { details: found } : null,
})

export const renew = operation({
  name: 'renew',
  summary: 'Renew heartbeat and leases of agents whose processes were seen alive',
  access: 'beat',
  authority: 'system',
  input: () => z.strictObject({ agentIds: z.array(agentId) }),
  output: () => z.null(),
  run: async (context, { agentIds }) => {
    await refuseLapsed(context)
    const { db, now, settings } = context
    await renewHeartbeats(db, agentIds, now)
    await extendLeases(db, agentIds, context, settings.lease.ttl)
    return null
  },
})

export const readUntaken = operation({
  name: 'read_untaken',
  summary: 'List the runs that their hosts could take now and have not taken',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () => z.array(z.object({ agentId, run: z.int() })),
  run: async ({ db, settings }) => {
    const { running, untaken } = await selectUntaken(db)
    // An agent that another agent has spawned waits for room on purpose.
    const isFull = running > settings.session.maxParallel
    return untaken
      .filter(({ parent_agent_id: parent }) => !isFull || parent === null || parent === 'human')
      .map(({ id, run }) => ({ agentId: id, run }))
  },
})

export const withdrawRun = operation({
  name: 'withdraw_run',
  summary:
    'End run N of an agent that its host has not taken in time, so that its task is pending again; uses up no retry',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ agentId, run: z.int().min(1) }),
  output: () => z.object({ withdrawn: z.boolean(), error: z.string(), waiting: z.array(waitingTask()) }),
  run: async (context, { agentId: id, run }) => {
    await refuseUnlessLeading(context)
    const { db, settings } = context
    const agent = await findAgent(db, id)
    // A run that the host has taken is its own: a process may have begun.
    if (agent.process !== 'wanted' || agent.run !== run || agent.taken_run === run)
      return { withdrawn: false, error: '', waiting: [] }
    const name = (await selectHost(db, agent.host_id))?.name ?? agent.host_id
    const error = `Host ${name} did not start it within ${duration(settings.fleet.silentAfter)}.`
    return { withdrawn: true, error, waiting: await endNotStarted(context, agent, error) }
  },
  subject: ({ withdrawn, error, waiting }, input) =>
    withdrawn ? { agentId: input.agentId, details: { error, waiting } } : null,
})
