import { z } from 'zod'
import { changeAgent, insertAgent, selectAgent } from '../../db/agents.ts'
import { setDeadline } from '../../db/leases.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import { selectRunningSession } from '../../db/sessions.ts'
import { changeStatus, type TaskRow } from '../../db/tasks.ts'
import { isTrusted, nameOf } from '../../domain/agent/actor.ts'
import { GONE } from '../../domain/agent/agent.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { checkId } from '../../domain/rules/names.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { kindFor, personaWrites } from '../../domain/settings/persona-settings.ts'
import { whyWorktreeBusy } from '../../domain/task/contention.ts'
import { COMMAND_KIND, kindOf, type Startable, whyCommandWaits } from '../../domain/task/startable.ts'
import { whyNot } from '../../domain/task/task.ts'
import { refuseSpent } from '../budgets/budgets.ts'
import { type Context, hostOf } from '../perform/core.ts'
import { findActiveWorktree, findAgent, findPersona, findTaskFacts, must, refuseUnknownKind } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId, lazyStrictObject, personaId, taskId, text, worktreeName } from '../perform/schemas.ts'
import { hashToken } from '../perform/token.ts'
import { addAgent, assign, endStopped, newAgent } from '../runs/agents.ts'
import { refuseFreer } from '../tasks/confinement.ts'
import { refuseDeeperSpawn, refuseMoreAgents } from '../tasks/limits.ts'
import { liveAgentsOf, startableOf } from '../tasks/startable.ts'
import { agentView, viewAgents } from '../views/agents.ts'
import { giveOwnWorktree } from '../worktrees/create.ts'

// Agents are started, registered and stopped.

const spawnInput = lazyStrictObject(() => ({
  personaId,
  assignedWorktree: worktreeName.optional(),
  kind: z.string().min(1).max(50).optional().describe('Kind of agent (default: as configured)'),
  taskId: taskId.optional().describe('One task (default: all tasks of its persona)'),
  environment: z
    .record(z.string().max(200), z.string().max(32_768))
    .default({})
    .describe('Additional environment variables'),
  once: z.boolean().default(false).describe('End after one task'),
  id: z.string().optional(),
  beside: z
    .boolean()
    .default(false)
    .describe('Start it although another agent writes in the worktree; only a person may set it'),
}))

export const spawnAgent = operation({
  name: 'spawn_agent',
  summary: 'Start an agent for a persona, in a worktree, for one task or all tasks',
  access: 'write',
  authority: 'planner',
  input: spawnInput,
  output: agentView,
  run: async (context, input) => {
    const { db } = context
    await findPersona(db, input.personaId)
    if (input.assignedWorktree !== undefined) await findActiveWorktree(db, input.assignedWorktree)
    refuseReserved(context, input.environment)
    await refuseDeeperSpawn(context)
    await refuseMoreAgents(db)
    if (input.id !== undefined) await refuseTaken(context, input.id)
    const agent =
      input.taskId === undefined
        ? await spawnForBoard(context, input)
        : await spawnForTask(context, input, input.taskId)
    return (await viewAgents(db, [await findAgent(db, agent.id)]))[0]!
  },
  subject: (agent) => ({
    agentId: agent.id,
    taskId: agent.taskId,
    worktree: agent.assignedWorktree,
    details: { kind: agent.kind },
  }),
})

type SpawnInput = z.output<ReturnType<typeof spawnInput>>

/** A planner may pass text to its workers, but not choose programs: other names are refused. */
const refuseReserved = ({ actor }: Context, environment: Readonly<Record<string, string>>): void => {
  if (isTrusted(actor)) return
  const name = Object.keys(environment).find((key) => !givable.test(key))
  if (name !== undefined)
    throw new Refusal(
      'not_allowed',
      `A planner may not set the variable ${name.slice(0, 60)} for its workers. It may set CI, DEBUG, FEATURE, LANG, LC_*, LOG_LEVEL, PORT, TZ, NO_COLOR, FORCE_COLOR, and names that begin with FEATURE_, TASK_ or AGENT_.`,
    )
}

/** Variables that no program takes as the name of a program, a library, a configuration or an address. */
const givable =
  /^(?:CI|DEBUG|FEATURE|LANG|LC_[A-Z]+|LOG_LEVEL|PORT|TZ|NO_COLOR|FORCE_COLOR|(?:FEATURE|TASK|AGENT)_[A-Z0-9_]{1,50})$/

const refuseTaken = async ({ db }: Context, id: string): Promise<void> => {
  checkId('agent', id)
  if (await selectAgent(db, id)) throw new Refusal('already_exists', `Agent ${id} already exists. Choose another id.`)
}

const spawnForBoard = async (context: Context, input: SpawnInput): Promise<AgentRow> => {
  refuseUnconfined(context, input.assignedWorktree)
  const kind = knownKind(context, input.kind ?? kindFor(context.settings, input.personaId, input.id), input.personaId)
  await refuseFreer(context, { personaId: input.personaId, kind })
  return addAgent(context, {
    ...common(context, input),
    kind,
    worktree: input.assignedWorktree ?? null,
    once: input.once,
  })
}

/** Seed 004: a planner's workers are confined to a worktree. Only a person starts agents in the main checkout. */
const refuseUnconfined = ({ actor }: Context, worktree: string | undefined): void => {
  if (worktree === undefined && !isTrusted(actor))
    throw new Refusal(
      'invalid_input',
      'spawn_agent: assignedWorktree is required, or the taskId of a task that has a worktree; workers are confined to it.',
    )
}

const common = ({ actor }: Context, input: SpawnInput) => ({
  personaId: input.personaId,
  parent: actor.id,
  environment: input.environment,
  ...(input.id === undefined ? {} : { id: input.id }),
})

const knownKind = (context: Context, kind: string | null, persona: string): string => {
  if (kind === null)
    throw new Refusal(
      'missing_binary',
      `No agent kind is configured for persona ${persona}. Set agents.default in .aiswarm/config.yaml or name a kind.`,
    )
  refuseUnknownKind(context, kind)
  return kind
}

const spawnForTask = async (context: Context, input: SpawnInput, id: number): Promise<AgentRow> => {
  const { db, settings } = context
  const { task: found, facts } = await findTaskFacts(db, id)
  const why = whyNot('claim', facts)
  if (why !== undefined) throw new Refusal('invalid_state', why)
  await refuseSpent(context, id)
  const [wish] = await startableOf(context, [found])
  const own =
    wish!.ownWorktree === true &&
    (found.command !== null || (input.kind ?? kindOf(wish!, settings)) !== COMMAND_KIND) &&
    personaWrites(settings, found.persona_id)
  const task = own ? await giveOwnWorktree(context, found, input.kind ?? kindOf(wish!, settings) ?? '') : found
  if (task.persona_id !== input.personaId)
    throw new Refusal('persona_mismatch', `Task ${id} is for the persona ${task.persona_id}, not ${input.personaId}.`)
  if (input.assignedWorktree !== undefined && input.assignedWorktree !== task.target_worktree) {
    throw new Refusal(
      'worktree_mismatch',
      `Task ${id} belongs in ${task.target_worktree ?? 'the repository root'}, not ${input.assignedWorktree}.`,
    )
  }
  const startable = (await startableOf(context, [task]))[0]!
  if (startable.worktreeEnded)
    throw new Refusal('invalid_state', `Worktree ${startable.worktree} of task ${id} has ended. Cancel the task.`)
  await refuseHeldBack(context, id, startable.held ?? null)
  await refuseBusy(context, startable, input.beside)
  const kind = knownKind(context, input.kind ?? kindOf(startable, settings), input.personaId)
  if (kind === COMMAND_KIND) await allowCommand(context, task, startable)
  refuseUnconfined(context, task.target_worktree ?? undefined)
  await refuseFreer(context, { personaId: input.personaId, kind })
  const name = input.id ?? task.wanted_agent_id
  if (task.wanted_agent_id !== null && name !== task.wanted_agent_id)
    throw new Refusal('not_allowed', `Task ${task.id} is for agent ${task.wanted_agent_id}, not ${name}.`)
  const agent = await addAgent(context, {
    ...common(context, input),
    ...(name === null ? {} : { id: name }),
    kind,
    worktree: task.target_worktree,
    once: true,
  })
  await assign(context, agent, task)
  return agent
}

/** Only a person may start a task that waits for approval or for a quota: a planner would continue to spend. */
const refuseHeldBack = async ({ db, actor }: Context, id: number, held: string | null): Promise<void> => {
  if (isTrusted(actor)) return
  const paused = ((await selectRunningSession(db))?.paused_at ?? null) !== null
  const why = paused ? 'the session is paused' : held
  if (why !== null) throw new Refusal('blocked', `Task ${id} cannot start now: ${why}.`)
}

/**
 * Two agents in one worktree would commit each other's unfinished work: only a person may start a second one, after a
 * warning.
 */
const refuseBusy = async ({ db, actor, settings }: Context, startable: Startable, beside: boolean): Promise<void> => {
  if (beside && isTrusted(actor)) return
  const why = whyWorktreeBusy(startable, await liveAgentsOf(db), settings)
  if (why !== undefined)
    throw new Refusal(
      'worktree_busy',
      `Task ${startable.id} cannot start now: ${why}.${isTrusted(actor) ? " Wait until it ends, or start this one anyway ('agent spawn --beside')." : ''}`,
    )
}

/** Refuses to run a command that waits for a person; a person who starts its task approves it. */
const allowCommand = async ({ db, actor }: Context, task: TaskRow, startable: Startable): Promise<void> => {
  const { id } = task
  if (task.command === null)
    throw new Refusal(
      'invalid_input',
      `Task ${id} has no command, so an agent of the kind ${COMMAND_KIND} cannot run it.`,
    )
  if (!isTrusted(actor)) {
    const waits = whyCommandWaits(startable)
    if (waits !== undefined)
      throw new Refusal(
        'not_allowed',
        `Task ${id} cannot be started by ${actor.kind === 'agent' ? 'an agent' : 'a client'}: ${waits}.`,
      )
  } else if (task.command_allowed === 0) {
    // The command never changes.
    must(
      await changeStatus(db, id, { status: task.status, attempt: task.attempt }, { command_allowed: 1 }),
      `Task ${id}`,
    )
  }
}

export const registerAgent = operation({
  name: 'register_agent',
  summary: 'Register an external agent; its heartbeats show that it is alive',
  access: 'write',
  authority: 'planner',
  input: () => z.strictObject({ id: z.string(), personaId, worktree: worktreeName.optional() }),
  output: () => agentView().extend({ token: z.string() }),
  run: async (context, input) => {
    const { db } = context
    checkId('agent', input.id)
    await findPersona(db, input.personaId)
    if (input.worktree !== undefined) await findActiveWorktree(db, input.worktree)
    if (await selectAgent(db, input.id))
      throw new Refusal('already_exists', `Agent ${input.id} already exists. Choose another id.`)
    await refuseMoreAgents(db)
    const token = context.newToken()
    await insertAgent(db, {
      ...newAgent(context, input.id, input.personaId),
      kind: 'external',
      assigned_worktree: input.worktree ?? null,
      // It is where that agent is, and counts as confined with it.
      parent_agent_id: context.actor.kind === 'agent' ? context.actor.id : null,
      token_hash: hashToken(token),
      // Where it can be heard: only that host can say that it is silent.
      host_id: hostOf(context) ?? LOCAL,
    })
    await setDeadline(db, 'agent', input.id, context.tick, context.settings.lease.ttl)
    return { ...(await viewAgents(db, [await findAgent(db, input.id)]))[0]!, token }
  },
  subject: (agent) => ({ agentId: agent.id, worktree: agent.assignedWorktree }),
})

export const terminateAgent = operation({
  name: 'terminate_agent',
  summary: 'Stop an agent: its processes end and its tasks become pending again',
  access: 'write',
  authority: 'planner',
  grave: true,
  input: () => z.strictObject({ agentId, reason: text(2000).optional(), gone: z.boolean().optional() }),
  output: agentView,
  run: async (context, input) => {
    const { db, actor, now } = context
    const agent = await findAgent(db, input.agentId)
    if (agent.status === 'terminated') throw new Refusal('invalid_state', `Agent ${agent.id} has already ended.`)
    if (!isTrusted(actor) && agent.parent_agent_id !== actor.id)
      throw new Refusal(
        'not_allowed',
        `${actor.id} may stop only agents that it spawned, and ${agent.id} is not one of them.`,
      )
    if (input.gone && !isTrusted(actor))
      throw new Refusal('not_allowed', `${nameOf(actor)} may not declare a host gone; only a person may do it.`)
    const reason = input.gone ? GONE : (input.reason ?? `stopped by ${actor.id}`)
    // A process may run or be about to: the wish is recorded, and the process that stops it records the end.
    if (agent.process === 'wanted' || agent.process === 'started') {
      if (agent.stop_requested_at === null || input.gone)
        must(
          await changeAgent(db, agent.id, { run: agent.run }, { stop_requested_at: now, stop_reason: reason }),
          `Agent ${agent.id}`,
        )
    } else {
      await endStopped(context, agent, reason)
    }
    return (await viewAgents(db, [await findAgent(db, agent.id)]))[0]!
  },
  subject: (agent, input) => ({
    agentId: agent.id,
    details: { reason: input.reason ?? null, ended: agent.status === 'terminated' },
  }),
  wish: (agent) => (agent.status === 'terminated' ? undefined : { kind: 'stop_agent', agentId: agent.id }),
  reread: async (context, agent) => (await viewAgents(context.db, [await findAgent(context.db, agent.id)]))[0]!,
})
