import { changeAgent, countAgentIds, insertAgent, selectAgent } from '../../../db/agents.ts'
import type { AgentRow, NewAgent } from '../../../db/schema/agents.ts'
import type { TaskRow } from '../../../db/tasks.ts'
import { agentIdOf } from '../../../domain/agent/agent.ts'
import { Refusal } from '../../../domain/rules/refusal.ts'
import type { Context } from '../../perform/core.ts'
import { findAgent, must } from '../../perform/find.ts'
import { newAgent } from './new-agent.ts'
import { endMessages } from '../../messages/messages.ts'
import { claimFor } from '../../tasks/attempts.ts'
import { hostOfWorktree } from '../../../db/worktrees.ts'

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
