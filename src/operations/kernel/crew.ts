import { changeAgent, countAgentIds, insertAgent, selectAgent } from '../../db/agents.ts'
import type { AgentRow } from '../../db/schema.ts'
import type { TaskRow } from '../../db/tasks.ts'
import { agentIdOf } from '../../domain/agent.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Context } from './core.ts'
import { findAgent } from './find.ts'
import { newAgent } from './new-agent.ts'
import { claimFor } from './task-steps.ts'
import { hashToken } from './token.ts'

/**
 * A new agent of ours, with a process that waits for its first task. An agent that a task names comes back under its
 * name when it has ended (seed 000); its runs go on counting.
 */
export const hire = async (
  context: Context,
  wanted: { personaId: string; kind: string; worktree: string | null; once: boolean; parent: string | null; environment: Readonly<Record<string, string>>; id?: string },
): Promise<AgentRow> => {
  const { db } = context
  const id = wanted.id ?? (await freeId(context, wanted.personaId))
  const former = wanted.id === undefined ? undefined : await selectAgent(db, wanted.id)
  if (former && former.status !== 'terminated') throw new Refusal('already_exists', `Agent ${id} is at work already; wait until it has ended.`)
  const row: AgentRow = {
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
  if (former) await changeAgent(db, id, { status: 'terminated' }, row)
  else await insertAgent(db, row)
  return findAgent(db, id)
}

/** `implementer-1`, `implementer-2`, …: the next that was never given out. */
const freeId = async ({ db }: Context, personaId: string): Promise<string> => {
  for (let n = (await countAgentIds(db, agentIdOf(personaId, ''))) + 1; ; n++) {
    const id = agentIdOf(personaId, n)
    if (!(await selectAgent(db, id))) return id
  }
}

/** Gives a waiting agent of ours a task and asks for its next run; a launcher starts the process. */
export const assign = async (context: Context, agent: AgentRow, task: TaskRow): Promise<void> => {
  const run = agent.run + 1
  await claimFor(context, task, agent)
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
      token_hash: hashToken(context.launchToken(agent.id, run)),
    },
  )
}

/** The end of an agent's row: nothing is taken from it any more. */
export const retire = async ({ db, now }: Context, agent: AgentRow, change: Partial<AgentRow> = {}): Promise<void> => {
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
  )
}
