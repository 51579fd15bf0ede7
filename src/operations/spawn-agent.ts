import { z } from 'zod'
import type { AgentRow } from '../db/schema.ts'
import { changeStatus } from '../db/tasks.ts'
import { checkId } from '../domain/names.ts'
import { Refusal } from '../domain/refusal.ts'
import { COMMAND_KIND, kindOf, whyCommandWaits } from '../domain/schedule.ts'
import { kindFor } from '../domain/settings.ts'
import { whyNot } from '../domain/task.ts'
import { selectAgent } from '../db/agents.ts'
import type { Context } from './kernel/core.ts'
import { assign, hire } from './kernel/crew.ts'
import { findActiveWorktree, findAgent, findPersona, findTaskFacts } from './kernel/find.ts'
import { personaId, taskId, worktreeName } from './kernel/inputs.ts'
import { operation } from './kernel/operation.ts'
import { startableOf } from './kernel/startable.ts'
import { agentView, viewAgents } from './kernel/views.ts'

const spawnInput = z.strictObject({
  personaId,
  assignedWorktree: worktreeName.optional(),
  kind: z.string().min(1).max(50).optional().describe('Kind of agent; the configuration decides otherwise'),
  taskId: taskId.optional().describe('One task; without it the agent works off the board'),
  environment: z.record(z.string(), z.string()).default({}),
  id: z.string().optional(),
})

export const spawnAgent = operation({
  name: 'spawn_agent',
  summary: 'Start an agent for a persona, in a worktree, for one task or to work off the board',
  access: 'write',
  authority: 'planner',
  input: spawnInput,
  output: agentView,
  run: async (context, input) => {
    const { db } = context
    await findPersona(db, input.personaId)
    if (input.assignedWorktree !== undefined) await findActiveWorktree(db, input.assignedWorktree)
    if (input.id !== undefined) await refuseTaken(context, input.id)
    const agent = input.taskId === undefined ? await spawnForBoard(context, input) : await spawnForTask(context, input, input.taskId)
    return (await viewAgents(db, [await findAgent(db, agent.id)]))[0]!
  },
  subject: (agent) => ({ agentId: agent.id, taskId: agent.taskId, worktree: agent.assignedWorktree, details: { kind: agent.kind } }),
})

type SpawnInput = z.output<typeof spawnInput>

const spawnForBoard = (context: Context, input: SpawnInput): Promise<AgentRow> =>
  hire(context, {
    ...common(context, input),
    kind: knownKind(context, input.kind ?? kindFor(context.settings, input.personaId, input.id), input.personaId),
    worktree: input.assignedWorktree ?? null,
    once: false,
  })

const spawnForTask = async (context: Context, input: SpawnInput, id: number): Promise<AgentRow> => {
  const { db, actor, settings } = context
  const { task, facts } = await findTaskFacts(db, id)
  const why = whyNot('claim', facts)
  if (why !== undefined) throw new Refusal('invalid_state', why)
  if (task.persona_id !== input.personaId) throw new Refusal('persona_mismatch', `Task ${id} is for the persona ${task.persona_id}, not ${input.personaId}.`)
  if (input.assignedWorktree !== undefined && input.assignedWorktree !== task.target_worktree) {
    throw new Refusal('worktree_mismatch', `Task ${id} belongs in ${task.target_worktree ?? 'the repository root'}, not ${input.assignedWorktree}.`)
  }
  const startable = (await startableOf(db, [task]))[0]!
  if (startable.worktreeEnded) throw new Refusal('invalid_state', `Worktree ${startable.worktree} of task ${id} has ended; cancel the task.`)
  const kind = knownKind(context, input.kind ?? kindOf(startable, settings), input.personaId)
  if (kind === COMMAND_KIND) {
    if (task.command === null) throw new Refusal('invalid_input', `Task ${id} has no command for an agent of the kind ${COMMAND_KIND} to run.`)
    if (actor.kind === 'agent') {
      const waits = whyCommandWaits(startable)
      if (waits !== undefined) throw new Refusal('not_allowed', `Task ${id} cannot be started by an agent: ${waits}.`)
    } else if (task.command_allowed === 0) {
      // A person who starts the task gives their word for its command, which never changes.
      await changeStatus(db, id, { status: task.status, attempt: task.attempt }, { command_allowed: 1 })
    }
  }
  const agent = await hire(context, { ...common(context, input), kind, worktree: task.target_worktree, once: true })
  await assign(context, agent, task)
  return agent
}

const common = ({ actor }: Context, input: SpawnInput) => ({
  personaId: input.personaId,
  parent: actor.id,
  environment: input.environment,
  ...(input.id === undefined ? {} : { id: input.id }),
})

const knownKind = ({ kinds }: Context, kind: string | null, persona: string): string => {
  if (kind === null) throw new Refusal('missing_binary', `No agent kind is configured for persona ${persona}; set agents.default in .aiswarm/config.yaml or name a kind.`)
  if (!kinds.includes(kind)) throw new Refusal('missing_binary', `The agent kind '${kind}' is not known; the known ones are ${kinds.join(', ')}.`)
  return kind
}

const refuseTaken = async ({ db }: Context, id: string): Promise<void> => {
  checkId('agent', id)
  if (await selectAgent(db, id)) throw new Refusal('already_exists', `There is already an agent ${id}; choose another id.`)
}
