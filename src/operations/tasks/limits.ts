import { countLiveAgents, selectAgent } from '../../db/agents.ts'
import type { Db } from '../../db/engine/db.ts'
import { countOpenTasksBy, selectTask } from '../../db/tasks.ts'
import { mostOf, refuseBeyond } from '../../domain/rules/capacity.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from '../perform/core.ts'

// Limits of the tasks and agents that one agent may create, so that a mistake in one prompt does not fill the machine.

/** The depth limit of subtasks, and of agents spawned by agents. */
const DEEPEST = 5

/**
 * Refuses an agent's task if the agent has too many open ones, or if the task is nested too deeply. A person has no
 * limit.
 */
export const refuseMoreTasks = async (context: Context, parentTaskId: number | undefined): Promise<void> => {
  const { db, actor, settings } = context
  if (actor.kind !== 'agent') return
  const [open, most] = [await countOpenTasksBy(db, actor.id), settings.session.maxOpenTasks]
  if (open >= most)
    throw new Refusal(
      'blocked',
      `${actor.id} has ${open} open tasks, and session.maxOpenTasks allows ${most}. Wait until some of them end, or ask a person.`,
    )
  let depth = 1
  for (let id = parentTaskId; id !== undefined; depth++) {
    if (depth >= DEEPEST)
      throw new Refusal(
        'blocked',
        `Task ${parentTaskId} is ${DEEPEST} levels deep already. Create the subtask under a higher task.`,
      )
    id = (await selectTask(db, id))?.parent_task_id ?? undefined
  }
}

/** Refuses one more live agent than a board is made for; the scheduler stays below that (`session.maxParallel`). */
export const refuseMoreAgents = async (db: Db): Promise<void> =>
  refuseBeyond(await countLiveAgents(db), mostOf.agents, 'live agents on the board', 'Let some of them end first.')

/** Refuses the sixth agent in a chain of agents that spawned each other. */
export const refuseDeeperSpawn = async ({ db, actor }: Context): Promise<void> => {
  if (actor.kind !== 'agent') return
  let depth = 1
  for (let id: string | null = actor.id; id !== null; depth++) {
    if (depth > DEEPEST)
      throw new Refusal(
        'blocked',
        `${actor.id} is the last of ${DEEPEST} agents that spawned each other. Let an earlier one spawn.`,
      )
    id = (await selectAgent(db, id))?.parent_agent_id ?? null
    if (id === 'human') id = null
  }
}
