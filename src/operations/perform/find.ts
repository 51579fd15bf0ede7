import { selectAgent, selectPersona } from '../../db/agents.ts'
import { type Db, together } from '../../db/engine/db.ts'
import { selectLatestRace } from '../../db/races.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import type { PersonaRow } from '../../db/schema/schema.ts'
import type { WorktreeRow } from '../../db/schema/worktrees.ts'
import { selectBlockers } from '../../db/task-dependencies.ts'
import { selectMove } from '../../db/task-queue.ts'
import { selectTask, type TaskRow } from '../../db/tasks.ts'
import { selectWorktree } from '../../db/worktrees.ts'
import { checkActsAs } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { TaskFacts } from '../../domain/task/task.ts'
import type { Context, Core } from './core.ts'

// Finds the rows that an operation names, or refuses with a sentence.

export const findTask = async (db: Db, id: number): Promise<TaskRow> => {
  const task = await selectTask(db, id)
  if (!task) throw new Refusal('not_found', `There is no task ${id}. 'aiswarm task list' lists the tasks.`)
  return task
}

/** A task with the facts that the rules need. */
export const findTaskFacts = async (db: Db, id: number): Promise<{ task: TaskRow; facts: TaskFacts }> => {
  const task = await findTask(db, id)
  if (task.status !== 'pending') return { task, facts: factsOf(task, [], false) }
  const [blockedBy, race, moves] = await together(selectBlockers(db, id), selectLatestRace(db, id), selectMove(db, id))
  return { task, facts: { ...factsOf(task, blockedBy, race?.ended_at === null), moves } }
}

/** The facts of a task and of what may hold it back while it is pending. */
export const factsOf = (task: TaskRow, blockedBy: readonly number[], isRaced: boolean): TaskFacts => ({
  id: task.id,
  status: task.status,
  assignedAgentId: task.assigned_agent_id,
  blockedBy,
  notBefore: task.not_before,
  isRaced,
})

export const findAgent = async (db: Db, id: string): Promise<AgentRow> => {
  const agent = await selectAgent(db, id)
  if (!agent || agent.kind === 'person' || agent.kind === 'system')
    throw new Refusal('not_found', `There is no agent ${id}. 'aiswarm agent list --all' lists the agents.`)
  return agent
}

export const findLiveAgent = async (db: Db, id: string): Promise<AgentRow> => {
  const agent = await findAgent(db, id)
  if (agent.status === 'terminated')
    throw new Refusal('invalid_state', `Agent ${id} has ended. Register or spawn another one.`)
  return agent
}

/** The live agent that acts: the connection's own, or the one that a person names. */
export const findActing = async (
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  agentId: string | undefined,
): Promise<AgentRow> => {
  const id = agentId ?? (actor.kind === 'agent' ? actor.id : undefined)
  if (id === undefined)
    throw new Refusal('invalid_input', 'An agentId is required: this connection belongs to no agent.')
  checkActsAs(actor, id)
  return findLiveAgent(db, id)
}

export const findPersona = async (db: Db, id: string): Promise<PersonaRow> => {
  const persona = await selectPersona(db, id)
  if (!persona || persona.role === 'person')
    throw new Refusal('not_found', `There is no persona ${id}. 'aiswarm persona list' lists the personas.`)
  return persona
}

/** The persona with an agent's name, otherwise the implementing one. */
export const findPersonaFor = async (db: Db, agentId: string): Promise<PersonaRow> => {
  const named = await selectPersona(db, agentId)
  return named && named.role !== 'person' ? named : findPersona(db, 'implementer')
}

export const findWorktree = async (db: Db, name: string): Promise<WorktreeRow> => {
  const worktree = await selectWorktree(db, name)
  if (!worktree)
    throw new Refusal('not_found', `There is no worktree ${name}. 'aiswarm worktree list' lists the worktrees.`)
  return worktree
}

export const findActiveWorktree = async (db: Db, name: string): Promise<WorktreeRow> => {
  const worktree = await findWorktree(db, name)
  if (worktree.status !== 'active')
    throw new Refusal('invalid_state', `Worktree ${name} is already ${worktree.status}.`)
  return worktree
}

export const refuseUnknownKind = ({ kinds }: Pick<Core, 'kinds'>, kind: string): void => {
  if (!kinds.includes(kind))
    throw new Refusal('missing_binary', `Agent kind '${kind}' is unknown. The known kinds are ${kinds.join(', ')}.`)
}

/**
 * Refuses if a compare-and-set changed nothing: another process has changed the row since this one read it. The
 * operation must not report what it did not do. `what` begins the sentence: `Task 3`.
 */
export const must = (changed: boolean, what: string): void => {
  if (!changed) throw new Refusal('invalid_state', `${what} has just changed. Check it, then try again.`)
}
