import { selectRun } from '../../db/runs.ts'
import { selectAttemptsOf } from '../../db/attempts.ts'
import type { AgentRow, AgentRunRow } from '../../db/schema/agents.ts'
import type { AttemptRow } from '../../db/schema/tasks.ts'
import type { Context } from '../perform/core.ts'
import type { RunMemory } from './run-memory.ts'
import { type Known, rememberAttempt } from './remember-attempt.ts'

/**
 * Stores each attempt of the run as a conversation (its prompt and its answer) and as its execution, under the message
 * id `{session}:task-{id}:{attempt}`. Must be called after the attempts have their outcomes. An entry that an agent has
 * stored itself is kept.
 */
export const rememberRun = async (
  context: Context,
  agentId: string,
  number: number,
  memory: RunMemory,
): Promise<void> => {
  const run = await selectRun(context.db, agentId, number)
  if (!run) return
  for (const attempt of await selectAttemptsOf(context.db, agentId)) {
    // In addition to the task that it was started for, it may have claimed others.
    if (isOwn(run, attempt) || attempt.claimed_at >= run.started_at)
      await rememberAttempt(context, run, isOwn(run, attempt), attempt, memory)
  }
}

/**
 * Stores an attempt without a process started by aiswarm: of a self-registered agent, or of a process that never
 * started. Its prompt is the task unless another is known; its answer is the result or the error.
 */
export const rememberWithoutRun = async (
  context: Context,
  agent: AgentRow,
  attempt: AttemptRow,
  { prompt = '', ...known }: Known & { readonly prompt?: string } = {},
): Promise<void> => {
  const by = {
    agent_id: agent.id,
    kind: agent.kind,
    model: null,
    started_at: attempt.claimed_at,
    exit_code: null,
    tokens_in: null,
    tokens_out: null,
    cost_usd: null,
  }
  const memory = { userId: context.memoryUser, prompt, answer: '', toolsUsed: [], toolsLeft: 0, errors: [] }
  await rememberAttempt(context, by, true, attempt, memory, known)
}

const isOwn = (run: AgentRunRow, { task_id, attempt }: AttemptRow): boolean =>
  run.task_id === task_id && run.attempt === attempt
