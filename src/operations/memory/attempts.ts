import { selectAttemptsOf } from '../../db/attempts.ts'
import { insertConversation, insertExecution } from '../../db/dual-memory.ts'
import { type Db, together } from '../../db/engine/db.ts'
import { selectRun } from '../../db/runs.ts'
import type { AgentRow, AgentRunRow } from '../../db/schema/agents.ts'
import type { SessionRow } from '../../db/schema/schema.ts'
import type { AttemptRow } from '../../db/schema/tasks.ts'
import { selectSessionAt } from '../../db/sessions.ts'
import { selectTaskLogs } from '../../db/task-logs.ts'
import type { TaskRow } from '../../db/tasks.ts'
import { elapsed, type Instant } from '../../domain/words/time.ts'
import type { Context } from '../perform/core.ts'
import { findTask } from '../perform/find.ts'
import type { RunMemory } from './dual-memory.ts'

// Stores the attempts of a run in the dual memory.

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

/** The most notes of an attempt that are stored. */
const MOST_NOTES = 200

/** The maker of an attempt, and its usage. */
type Maker = Pick<AgentRunRow, 'agent_id' | 'kind' | 'model' | 'started_at' | 'exit_code' | 'cost_usd'> & {
  readonly tokens_in: number | null
  readonly tokens_out: number | null
}

/** The surroundings of an attempt: the session at its start, and the agent's notes during it. */
interface Around {
  readonly session: SessionRow | undefined
  readonly notes: readonly string[]
}

/** Rows that the caller has, as they are now. */
interface Known {
  readonly task?: TaskRow | undefined
  readonly around?: Around | undefined
}

const rememberAttempt = async (
  context: Context,
  run: Maker,
  own: boolean,
  attempt: AttemptRow,
  memory: RunMemory,
  known: Known = {},
): Promise<void> => {
  const { db, now } = context
  const [task, { session, notes }] = await together(
    known.task ?? findTask(db, attempt.task_id),
    known.around ?? recallAround(db, { ...attempt, id: attempt.task_id }),
  )
  const outcome = attempt.outcome ?? 'unfinished'
  const facts = {
    task: task.id,
    attempt: attempt.attempt,
    outcome,
    agent: run.agent_id,
    kind: run.kind,
    ...(run.model === null ? {} : { model: run.model }),
  }
  const record = {
    user_id: memory.userId,
    message_id: messageIdOf(session, task, attempt),
    at: attempt.ended_at ?? now,
    recorded_at: now,
  }
  await together(
    insertConversation(db, {
      ...record,
      user_input: beginning(
        (own && memory.prompt) || (task.command ?? `${task.title}\n${task.description}`.trim()),
        10_000,
      ),
      agent_response: end(
        memory.answer ||
          attempt.error ||
          (attempt.outcome === 'completed' && task.result_data) ||
          `(${outcome}, no message)`,
        10_000,
      ),
      meta_data: JSON.stringify(facts),
    }),
    insertExecution(db, {
      ...record,
      success: outcome === 'completed' ? 1 : 0,
      duration_ms: durationOf(own ? run.started_at : attempt.claimed_at, attempt.ended_at ?? now),
      execution_summary: beginning(
        `Task ${task.id}, ${task.title}: ${outcome} in attempt ${attempt.attempt} by ${run.agent_id} (${run.kind})`,
        2000,
      ),
      observations: end(notes.join('\n'), 5000),
      tools_used: JSON.stringify(memory.toolsUsed),
      errors: JSON.stringify([...memory.errors, ...failureOf(attempt)]),
      meta_data: JSON.stringify({ ...facts, ...usageOf(run), ...furtherTools(memory) }),
    }),
  )
}

const durationOf = (from: Instant, until: Instant): number => Math.max(0, elapsed(from, until))

const furtherTools = ({ toolsLeft }: RunMemory) => (toolsLeft === 0 ? {} : { further_tools: toolsLeft })

const failureOf = ({ outcome, error }: AttemptRow): RunMemory['errors'] =>
  error === null || outcome === 'completed' ? [] : [{ error_type: outcome ?? 'unfinished', error_message: error }]

const usageOf = ({ exit_code, tokens_in, tokens_out, cost_usd }: Maker) => ({
  exit_code,
  tokens_in,
  tokens_out,
  cost_usd,
})

/** `{session}:task-{id}:{attempt}`, with the session at the start of the attempt. */
export const attemptMessageId = async (
  { db }: Pick<Context, 'db'>,
  task: Pick<TaskRow, 'id' | 'session_id'>,
  attempt: Pick<AttemptRow, 'attempt' | 'claimed_at'>,
): Promise<string> => messageIdOf(await selectSessionAt(db, attempt.claimed_at), task, attempt)

const messageIdOf = (
  session: Pick<SessionRow, 'id'> | undefined,
  task: Pick<TaskRow, 'id' | 'session_id'>,
  { attempt }: Pick<AttemptRow, 'attempt'>,
): string => `${session?.id ?? task.session_id ?? 'no-session'}:task-${task.id}:${attempt}`

/** The surroundings of an attempt at a task, which is named by its id. */
export const recallAround = async (
  db: Db,
  { id, attempt, agent_id, claimed_at }: Pick<AttemptRow, 'attempt' | 'agent_id' | 'claimed_at'> & { id: number },
): Promise<Around> => {
  const [session, logs] = await together(
    selectSessionAt(db, claimed_at),
    selectTaskLogs(db, { taskId: id, agentId: agent_id, last: MOST_NOTES }),
  )
  return { session, notes: logs.filter((log) => log.attempt === attempt).map((log) => log.message) }
}

/** The beginning of a long text, with the length of the rest. */
const beginning = (text: string, longest: number): string => {
  const characters = [...text]
  return characters.length <= longest
    ? text
    : `${characters.slice(0, longest - 50).join('')}… (${characters.length - longest + 50} more characters)`
}

const end = (text: string, longest: number): string => {
  const characters = [...text]
  return characters.length <= longest
    ? text
    : `(${characters.length - longest + 50} characters before) …${characters.slice(50 - longest).join('')}`
}
