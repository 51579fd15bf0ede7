import { z } from 'zod'
import type { AgentRow } from '../../db/schema/agents.ts'
import { changeStatus, type TaskRow } from '../../db/tasks.ts'
import { isTrusted } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { COMMAND_KIND, kindOf, type Startable, whyCommandWaits } from '../../domain/task/startable.ts'
import { kindFor, personaWrites } from '../../domain/settings/persona-settings.ts'
import { whyNot } from '../../domain/task/task.ts'
import { refuseSpent } from '../budgets/budgets.ts'
import type { Context } from '../perform/core.ts'
import { addAgent, assign } from '../runs/agents.ts'
import { findActiveWorktree, findAgent, findPersona, findTaskFacts, must } from '../perform/find.ts'
import { lazyStrictObject, personaId, taskId, worktreeName } from '../perform/schemas.ts'
import { giveOwnWorktree } from '../worktrees/create.ts'
import { operation } from '../perform/operation.ts'
import { refuseDeeperSpawn, refuseMoreAgents } from '../tasks/limits.ts'
import { startableOf } from '../tasks/startable.ts'
import { agentView, viewAgents } from '../views/agents.ts'
import { refuseBusy, refuseHeldBack, refuseUnconfined, refuseReserved, refuseTaken, knownKind } from './refuse-spawn.ts'

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

const common = ({ actor }: Context, input: SpawnInput) => ({
  personaId: input.personaId,
  parent: actor.id,
  environment: input.environment,
  ...(input.id === undefined ? {} : { id: input.id }),
})
