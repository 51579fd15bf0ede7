import { z } from 'zod'
import type { AgentRow } from '../../db/schema/agents.ts'
import { selectRunningSession } from '../../db/sessions.ts'
import { changeStatus } from '../../db/tasks.ts'
import { isTrusted } from '../../domain/agent/actor.ts'
import { checkId } from '../../domain/rules/names.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { COMMAND_KIND, kindOf, type Startable, whyCommandWaits, whyWorktreeBusy } from '../../domain/task/schedule.ts'
import { kindFor, personaWrites } from '../../domain/settings/settings.ts'
import { whyNot } from '../../domain/task/task.ts'
import { selectAgent } from '../../db/agents.ts'
import { refuseSpent } from '../budgets/budgets.ts'
import type { Context } from '../door/core.ts'
import { assign, addAgent } from './steps/agent-rows.ts'
import { liveAgentsOf } from '../views/live-agents.ts'
import { findActiveWorktree, findAgent, findPersona, findTaskFacts } from '../door/find.ts'
import { personaId, taskId, worktreeName } from '../door/inputs.ts'
import { refuseUnknownKind } from './steps/known-kind.ts'
import { giveOwnWorktree } from '../worktrees/own-worktree.ts'
import { operation } from '../door/operation.ts'
import { refuseDeeperSpawn } from '../tasks/steps/quota.ts'
import { startableOf } from '../tasks/steps/startable.ts'
import { agentView, viewAgents } from '../views/views.ts'

const spawnInput = z.strictObject({
  personaId,
  assignedWorktree: worktreeName.optional(),
  kind: z.string().min(1).max(50).optional().describe('Kind of agent (default: as configured)'),
  taskId: taskId.optional().describe('One task (default: all tasks of its persona)'),
  environment: z.record(z.string().max(200), z.string().max(32_768)).default({}).describe('Additional environment variables'),
  once: z.boolean().default(false).describe('End after one task'),
  id: z.string().optional(),
  beside: z.boolean().default(false).describe('Start it although another agent writes in the worktree; only a person may set it'),
})

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
    if (input.id !== undefined) await refuseTaken(context, input.id)
    const agent = input.taskId === undefined ? await spawnForBoard(context, input) : await spawnForTask(context, input, input.taskId)
    return (await viewAgents(db, [await findAgent(db, agent.id)]))[0]!
  },
  subject: (agent) => ({ agentId: agent.id, taskId: agent.taskId, worktree: agent.assignedWorktree, details: { kind: agent.kind } }),
})

type SpawnInput = z.output<typeof spawnInput>

const spawnForBoard = (context: Context, input: SpawnInput): Promise<AgentRow> => {
  refuseUnconfined(context, input.assignedWorktree)
  return addAgent(context, {
    ...common(context, input),
    kind: knownKind(context, input.kind ?? kindFor(context.settings, input.personaId, input.id), input.personaId),
    worktree: input.assignedWorktree ?? null,
    once: input.once,
  })
}

const spawnForTask = async (context: Context, input: SpawnInput, id: number): Promise<AgentRow> => {
  const { db, actor, settings } = context
  const { task: found, facts } = await findTaskFacts(db, id)
  const why = whyNot('claim', facts)
  if (why !== undefined) throw new Refusal('invalid_state', why)
  await refuseSpent(context, id)
  const [wish] = await startableOf(context, [found])
  const own = wish!.ownWorktree === true && (input.kind ?? kindOf(wish!, settings)) !== COMMAND_KIND && personaWrites(settings, found.persona_id)
  const task = own ? await giveOwnWorktree(context, found) : found
  if (task.persona_id !== input.personaId) throw new Refusal('persona_mismatch', `Task ${id} is for the persona ${task.persona_id}, not ${input.personaId}.`)
  if (input.assignedWorktree !== undefined && input.assignedWorktree !== task.target_worktree) {
    throw new Refusal('worktree_mismatch', `Task ${id} belongs in ${task.target_worktree ?? 'the repository root'}, not ${input.assignedWorktree}.`)
  }
  const startable = (await startableOf(context, [task]))[0]!
  if (startable.worktreeEnded) throw new Refusal('invalid_state', `Worktree ${startable.worktree} of task ${id} has ended. Cancel the task.`)
  await refuseHeldBack(context, id, startable.held ?? null)
  await refuseBusy(context, startable, input.beside)
  const kind = knownKind(context, input.kind ?? kindOf(startable, settings), input.personaId)
  if (kind === COMMAND_KIND) {
    if (task.command === null) throw new Refusal('invalid_input', `Task ${id} has no command, so an agent of the kind ${COMMAND_KIND} cannot run it.`)
    if (!isTrusted(actor)) {
      const waits = whyCommandWaits(startable)
      if (waits !== undefined) throw new Refusal('not_allowed', `Task ${id} cannot be started by ${actor.kind === 'agent' ? 'an agent' : 'a client'}: ${waits}.`)
    } else if (task.command_allowed === 0) {
      // Starting the task approves its command, which never changes.
      await changeStatus(db, id, { status: task.status, attempt: task.attempt }, { command_allowed: 1 })
    }
  }
  refuseUnconfined(context, task.target_worktree ?? undefined)
  const name = input.id ?? task.wanted_agent_id
  if (task.wanted_agent_id !== null && name !== task.wanted_agent_id) throw new Refusal('not_allowed', `Task ${task.id} is for agent ${task.wanted_agent_id}, not ${name}.`)
  const agent = await addAgent(context, { ...common(context, input), ...(name === null ? {} : { id: name }), kind, worktree: task.target_worktree, once: true })
  await assign(context, agent, task)
  return agent
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

/** Only a person may start a task that waits for approval or for a quota: a planner would continue to spend. */
const refuseHeldBack = async ({ db, actor }: Context, id: number, held: string | null): Promise<void> => {
  if (isTrusted(actor)) return
  const paused = ((await selectRunningSession(db))?.paused_at ?? null) !== null
  const why = paused ? 'the session is paused' : held
  if (why !== null) throw new Refusal('blocked', `Task ${id} cannot start now: ${why}.`)
}

/** Seed 004: a planner's workers are confined to a worktree. Only a person starts agents in the main checkout. */
const refuseUnconfined = ({ actor }: Context, worktree: string | undefined): void => {
  if (worktree === undefined && !isTrusted(actor))
    throw new Refusal('invalid_input', 'spawn_agent: assignedWorktree is required, or the taskId of a task that has a worktree; workers are confined to it.')
}

/** Variables that decide which program runs, or as whom. */
const reserved = /^(PATH|HOME|SHELL|ENV|BASH_ENV|IFS|LD_.*|DYLD_.*|NODE_.*|GIT_.*|AISWARM_.*|npm_.*|PYTHON(PATH|STARTUP|HOME)|PERL5?(LIB|OPT)|RUBYOPT|.*_BASE_URL)$/i

/** A planner may pass text to its workers, but not choose programs. */
const refuseReserved = ({ actor }: Context, environment: Readonly<Record<string, string>>): void => {
  if (isTrusted(actor)) return
  const name = Object.keys(environment).find((key) => reserved.test(key) || !/^[A-Za-z_]\w*$/.test(key))
  if (name !== undefined) throw new Refusal('not_allowed', `A planner may not set the variable ${name.slice(0, 60)} for its workers, because it decides what runs.`)
}

const common = ({ actor }: Context, input: SpawnInput) => ({
  personaId: input.personaId,
  parent: actor.id,
  environment: input.environment,
  ...(input.id === undefined ? {} : { id: input.id }),
})

const knownKind = (context: Context, kind: string | null, persona: string): string => {
  if (kind === null) throw new Refusal('missing_binary', `No agent kind is configured for persona ${persona}. Set agents.default in .aiswarm/config.yaml or name a kind.`)
  refuseUnknownKind(context, kind)
  return kind
}

const refuseTaken = async ({ db }: Context, id: string): Promise<void> => {
  checkId('agent', id)
  if (await selectAgent(db, id)) throw new Refusal('already_exists', `Agent ${id} already exists. Choose another id.`)
}
