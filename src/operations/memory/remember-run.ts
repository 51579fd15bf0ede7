import { z } from 'zod'
import { selectRun } from '../../db/agent-runs.ts'
import { selectAttemptsOf } from '../../db/attempts.ts'
import { insertConversation } from '../../db/conversations.ts'
import { insertExecution } from '../../db/executions.ts'
import type { AgentRunRow } from '../../db/schema/runs.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import type { AttemptRow } from '../../db/schema/schema.ts'
import { selectSessionAt } from '../../db/sessions.ts'
import { selectTaskLogs } from '../../db/task-logs.ts'
import type { TaskRow } from '../../db/tasks.ts'
import { elapsed } from '../../domain/words/time.ts'
import type { Context } from '../door/core.ts'
import { errors, saidText, userId } from './dual-memory.ts'
import { findTask } from '../door/find.ts'

/** The memory of an ended run (seed 003). Empty where it received or said nothing. */
export const runMemory = z.object({
  userId,
  prompt: saidText,
  answer: saidText,
  toolsUsed: z.array(z.string()),
  /** The number of calls that are not listed. */
  toolsLeft: z.int(),
  errors,
})
export type RunMemory = z.output<typeof runMemory>

/** The most notes of an attempt that are stored. */
const MOST_NOTES = 200

/**
 * Stores each attempt of the run as a conversation (its prompt and its answer) and as its execution, under the message
 * id `{session}:task-{id}:{attempt}`. Must be called after the attempts have their outcomes. An entry that an agent has
 * stored itself is kept.
 */
export const rememberRun = async (context: Context, agentId: string, number: number, memory: RunMemory): Promise<void> => {
  const run = await selectRun(context.db, agentId, number)
  if (!run) return
  for (const attempt of await selectAttemptsOf(context.db, agentId)) {
    // In addition to the task that it was started for, it may have claimed others.
    if (isOwn(run, attempt) || attempt.claimed_at >= run.started_at) await rememberAttempt(context, run, isOwn(run, attempt), attempt, memory)
  }
}

/**
 * Stores an attempt without a process started by aiswarm: of a self-registered agent, or of a process that never
 * started. Its prompt is the task unless another is known; its answer is the result or the error.
 */
export const rememberWithoutRun = async (context: Context, agent: AgentRow, attempt: AttemptRow, prompt = ''): Promise<void> => {
  const by = { agent_id: agent.id, kind: agent.kind, model: null, started_at: attempt.claimed_at, exit_code: null, tokens_in: null, tokens_out: null, cost_usd: null }
  await rememberAttempt(context, by, true, attempt, { userId: context.memoryUser, prompt, answer: '', toolsUsed: [], toolsLeft: 0, errors: [] })
}

/** The maker of an attempt, and its usage. */
type Maker = Pick<AgentRunRow, 'agent_id' | 'kind' | 'model' | 'started_at' | 'exit_code' | 'cost_usd'> & { readonly tokens_in: number | null; readonly tokens_out: number | null }

const isOwn = (run: AgentRunRow, { task_id, attempt }: AttemptRow): boolean => run.task_id === task_id && run.attempt === attempt

const rememberAttempt = async (context: Context, run: Maker, own: boolean, attempt: AttemptRow, memory: RunMemory): Promise<void> => {
  const { db, now } = context
  const task = await findTask(db, attempt.task_id)
  const outcome = attempt.outcome ?? 'unfinished'
  const facts = { task: task.id, attempt: attempt.attempt, outcome, agent: run.agent_id, kind: run.kind, ...(run.model === null ? {} : { model: run.model }) }
  const record = { user_id: memory.userId, message_id: await attemptMessageId(context, task, attempt), at: attempt.ended_at ?? now, recorded_at: now }
  await insertConversation(db, {
    ...record,
    user_input: beginning((own && memory.prompt) || (task.command ?? `${task.title}\n${task.description}`.trim()), 10_000),
    agent_response: end(memory.answer || attempt.error || (attempt.outcome === 'completed' && task.result_data) || `(${outcome}, no message)`, 10_000),
    meta_data: JSON.stringify(facts),
  })
  const began = own ? run.started_at : attempt.claimed_at
  await insertExecution(db, {
    ...record,
    success: outcome === 'completed' ? 1 : 0,
    duration_ms: Math.max(0, elapsed(began, attempt.ended_at ?? now)),
    execution_summary: beginning(`Task ${task.id}, ${task.title}: ${outcome} in attempt ${attempt.attempt} by ${run.agent_id} (${run.kind})`, 2000),
    observations: end((await notesOf(context, attempt)).join('\n'), 5000),
    tools_used: JSON.stringify(memory.toolsUsed),
    errors: JSON.stringify([...memory.errors, ...failureOf(attempt)]),
    meta_data: JSON.stringify({ ...facts, ...usageOf(run), ...(memory.toolsLeft === 0 ? {} : { further_tools: memory.toolsLeft }) }),
  })
}

const failureOf = ({ outcome, error }: AttemptRow): RunMemory['errors'] =>
  error === null || outcome === 'completed' ? [] : [{ error_type: outcome ?? 'unfinished', error_message: error }]

const usageOf = ({ exit_code, tokens_in, tokens_out, cost_usd }: Maker) => ({ exit_code, tokens_in, tokens_out, cost_usd })

/** `{session}:task-{id}:{attempt}`, with the session at the start of the attempt. */
export const attemptMessageId = async (
  { db }: Pick<Context, 'db'>,
  task: Pick<TaskRow, 'id' | 'session_id'>,
  { attempt, claimed_at }: Pick<AttemptRow, 'attempt' | 'claimed_at'>,
): Promise<string> => `${(await selectSessionAt(db, claimed_at))?.id ?? task.session_id ?? 'no-session'}:task-${task.id}:${attempt}`

/** The agent's notes during the attempt. */
const notesOf = async ({ db }: Context, { task_id, attempt, agent_id }: AttemptRow): Promise<readonly string[]> =>
  (await selectTaskLogs(db, { taskId: task_id, agentId: agent_id, last: MOST_NOTES })).filter((log) => log.attempt === attempt).map((log) => log.message)

/** The beginning of a long text, with the length of the rest. */
const beginning = (text: string, longest: number): string => {
  const characters = [...text]
  return characters.length <= longest ? text : `${characters.slice(0, longest - 50).join('')}… (${characters.length - longest + 50} more characters)`
}

const end = (text: string, longest: number): string => {
  const characters = [...text]
  return characters.length <= longest ? text : `(${characters.length - longest + 50} characters before) …${characters.slice(50 - longest).join('')}`
}
