import { changeAgent, countAgentIds, insertAgent, selectAgent, selectAgents, selectHeldTasks } from '../../db/agents.ts'
import { setDeadline } from '../../db/leases.ts'
import type { AgentRow, NewAgent } from '../../db/schema/agents.ts'
import type { TaskRow } from '../../db/tasks.ts'
import { hostOfWorktree } from '../../db/worktrees.ts'
import { agentIdOf } from '../../domain/agent/agent.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { endMessages } from '../messages/messages.ts'
import type { Context } from '../perform/core.ts'
import { findAgent, findTask, must } from '../perform/find.ts'
import { claimFor, note, releaseHeld, startHeld } from '../tasks/attempts.ts'

// The row of an agent from its first task to its end: added, assigned, stopped, taken over by a person, ended.

/**
 * Creates an agent whose process waits for its first task. An agent that a task names is reused under its id after it
 * has ended (seed 000); its runs are counted on.
 */
export const addAgent = async (
  context: Context,
  wanted: {
    personaId: string
    kind: string
    worktree: string | null
    once: boolean
    parent: string | null
    environment: Readonly<Record<string, string>>
    id?: string
  },
): Promise<AgentRow> => {
  const { db } = context
  const id = wanted.id ?? (await freeId(context, wanted.personaId))
  const former = wanted.id === undefined ? undefined : await selectAgent(db, wanted.id)
  if (former && former.status !== 'terminated')
    throw new Refusal('already_exists', `Agent ${id} is already running. Wait until it ends.`)
  const row: NewAgent = {
    ...newAgent(context, id, wanted.personaId),
    kind: wanted.kind,
    status: 'idle',
    process: 'waiting',
    assigned_worktree: wanted.worktree,
    parent_agent_id: wanted.parent,
    once: wanted.once ? 1 : 0,
    environment: Object.keys(wanted.environment).length > 0 ? JSON.stringify(wanted.environment) : null,
    run: former?.run ?? 0,
  }
  if (former) must(await changeAgent(db, id, { status: 'terminated' }, row), `Agent ${id}`)
  else await insertAgent(db, row)
  return findAgent(db, id)
}

/** `implementer-1`, `implementer-2`, …: the next unused id. */
const freeId = async ({ db }: Context, personaId: string): Promise<string> => {
  for (let n = (await countAgentIds(db, agentIdOf(personaId, ''))) + 1; ; n++) {
    const id = agentIdOf(personaId, n)
    if (!(await selectAgent(db, id))) return id
  }
}

/** Assigns a task to a waiting agent and requests its next run; a launcher starts the process. */
export const assign = async (context: Context, agent: AgentRow, task: TaskRow): Promise<void> => {
  const run = agent.run + 1
  await claimFor(context, task, agent)
  must(
    await changeAgent(
      context.db,
      agent.id,
      { process: 'waiting', run: agent.run },
      {
        process: 'wanted',
        run,
        task_id: task.id,
        process_id: null,
        process_started_at: null,
        boot_id: null,
        exit_code: null,
        // The host that takes the run makes its token.
        token_hash: null,
        host_id: await hostOfWorktree(context.db, agent.assigned_worktree),
      },
    ),
    `Agent ${agent.id}`,
  )
}

/** Ends an agent's row: no call of it is accepted any more, and no message can reach it. */
export const endAgent = async (context: Context, agent: AgentRow, change: Partial<AgentRow> = {}): Promise<void> => {
  const { db, now } = context
  await endMessages(context, agent.id, agent.run, (change.launch_error ?? null) === null)
  must(
    await changeAgent(
      db,
      agent.id,
      { run: agent.run },
      {
        status: 'terminated',
        process: agent.process === 'none' ? 'none' : 'ended',
        ended_at: now,
        token_hash: null,
        ...change,
      },
    ),
    `Agent ${agent.id}`,
  )
}

/** The initial row of every agent. */
export const newAgent = ({ now }: Context, id: string, personaId: string): NewAgent => ({
  id,
  persona_id: personaId,
  kind: 'external',
  assigned_worktree: null,
  parent_agent_id: null,
  registered_at: now,
  last_heartbeat: now,
  status: 'active',
  token_hash: null,
  process: 'none',
  run: 0,
  task_id: null,
  once: 0,
  process_id: null,
  process_started_at: null,
  boot_id: null,
  exit_code: null,
  launch_error: null,
  environment: null,
  stop_requested_at: null,
  stop_reason: null,
  ended_at: null,
  usage: null,
  metadata: null,
  taken_run: null,
})

/** Stops every agent of a worktree: at once if it has no process, otherwise by a wish that a loop carries out. */
export const stopAgentsOf = async (context: Context, worktree: string, reason: string): Promise<void> => {
  for (const agent of await selectAgents(context.db, { live: true, worktree })) {
    if (agent.process === 'wanted' || agent.process === 'started') {
      must(
        await changeAgent(
          context.db,
          agent.id,
          { run: agent.run },
          { stop_requested_at: agent.stop_requested_at ?? context.now, stop_reason: agent.stop_reason ?? reason },
        ),
        `Agent ${agent.id}`,
      )
    } else {
      await endStopped(context, agent, reason)
    }
  }
}

/** Ends a stopped agent: its tasks become pending again. */
export const endStopped = async (
  context: Context,
  agent: AgentRow,
  reason: string,
  change: Partial<AgentRow> = {},
): Promise<void> => {
  for (const held of await selectHeldTasks(context.db, [agent.id])) {
    const task = await findTask(context.db, held.task_id)
    await releaseStopped(context, agent, task, `Agent ${agent.id} was stopped: ${reason}.`)
  }
  await endAgent(context, agent, {
    stop_requested_at: agent.stop_requested_at ?? context.now,
    stop_reason: reason,
    ...change,
  })
}

/** The beginning of the stop reason of an agent whose conversation a person takes over; the holder's id follows. */
const TAKEN = 'taken over by '

export const takenOverBy = (holder: string): string => `${TAKEN}${holder}`

/** The id of the agent row by which a person takes over, if this agent is stopped for that. */
export const holderOf = ({ stop_reason: reason }: Pick<AgentRow, 'stop_reason'>): string | undefined =>
  reason?.startsWith(TAKEN) === true ? reason.slice(TAKEN.length) : undefined

/**
 * Makes the task of a stopped agent pending again. If a person takes the agent's conversation over, the person holds
 * the task from the same moment on, so that no other agent starts in between.
 */
export const releaseStopped = async (context: Context, agent: AgentRow, task: TaskRow, why: string): Promise<void> => {
  await releaseHeld(context, task, { outcome: 'terminated', why })
  const holder = await selectAgent(context.db, holderOf(agent) ?? '')
  if (!holder || holder.status === 'terminated' || holder.parent_agent_id !== agent.id) return
  await holdFor(context, await findTask(context.db, task.id), holder, agent.id)
}

/** The person holds the task by a lease, as an agent would. */
export const holdFor = async (context: Context, task: TaskRow, holder: AgentRow, agentId: string): Promise<void> => {
  await claimFor(context, task, holder)
  const held = await findTask(context.db, task.id)
  await startHeld(context, held)
  await note(context, held, 'info', `A person took over the conversation of ${agentId}.`)
}

/** The row by which a person holds a task: alive while a console sends heartbeats for it. */
export const addHolder = async (
  context: Context,
  personaId: string,
  more: Partial<Pick<AgentRow, 'assigned_worktree' | 'parent_agent_id'>> = {},
): Promise<AgentRow> => {
  const { db } = context
  const id = await freeHolderId(context)
  await insertAgent(db, { ...newAgent(context, id, personaId), ...more })
  await setDeadline(db, 'agent', id, context.tick, context.settings.lease.ttl)
  return findAgent(db, id)
}

const freeHolderId = async ({ db }: Context): Promise<string> => {
  for (let n = (await countAgentIds(db, agentIdOf('human', ''))) + 1; ; n++) {
    const id = agentIdOf('human', n)
    if (!(await selectAgent(db, id))) return id
  }
}
