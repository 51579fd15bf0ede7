import { z } from 'zod'
import { selectAgents, selectHeldTasks } from '../../db/agents.ts'
import { selectRunningSession } from '../../db/sessions.ts'
import { insertTaskLog, insertTurn } from '../../db/task-logs.ts'
import { changeResult, changeStatus, markCriteria, selectTasks } from '../../db/tasks.ts'
import { endedAmong } from '../../domain/settings/hooks.ts'
import { hostOf } from '../perform/core.ts'
import { findTask, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId, json, lazyObject, taskId, text } from '../perform/schemas.ts'
import { workingFolder } from '../requests/confinement.ts'
import { taskView, viewTask } from '../views/tasks.ts'
import {
  completeHeld,
  failHeld,
  findHolding,
  lookForArtifacts,
  note,
  signOfLife,
  startHeld,
  storeMissing,
  waitingAmong,
} from './attempts.ts'

// Agents that report through files (seed 000): who writes them, and what a progress or result file says.

const fileWriter = lazyObject(() => ({
  agentId: z.string(),
  taskId: z.int(),
  attempt: z.int(),
  claimedAt: z.string(),
  /** The absolute path of the folder it works in. */
  folder: z.string(),
}))
export type FileWriter = z.output<ReturnType<typeof fileWriter>>

export const readFileWriters = operation({
  name: 'read_file_writers',
  summary: 'List the agents of this host that hold a task, whose progress and result files are read',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      sessionId: z.string().nullable(),
      writers: z.array(fileWriter()),
      /** When the session began; older files are ignored. */ startedAt: z.string().nullable(),
      agentIds: z.array(z.string()),
    }),
  run: async (context) => {
    const { db } = context
    // The files of others lie on their hosts.
    const here = hostOf(context)
    const agents = (await selectAgents(db, { live: true })).filter((agent) => agent.host_id === here)
    const held = await selectHeldTasks(
      db,
      agents.map((agent) => agent.id),
    )
    const tasks = new Map(
      (held.length === 0 ? [] : await selectTasks(db, { ids: held.map((one) => one.task_id) })).map((task) => [
        task.id,
        task,
      ]),
    )
    const writers: FileWriter[] = []
    for (const { agent_id, task_id, attempt } of held) {
      const task = tasks.get(task_id)!
      const agent = agents.find(({ id }) => id === agent_id)!
      const folder = task.folder ?? (await workingFolder(context, task.target_worktree ?? agent.assigned_worktree))
      writers.push({ agentId: agent_id, taskId: task_id, attempt, claimedAt: task.claimed_at!, folder })
    }
    const session = await selectRunningSession(db)
    return {
      sessionId: session?.id ?? null,
      startedAt: session?.started_at ?? null,
      writers,
      agentIds: (await selectAgents(db)).map((agent) => agent.id),
    }
  },
})

/** Seed 000: copies an agent's progress file to the log of its task, each turn once. */
export const recordTurns = operation({
  name: 'record_turns',
  summary: "Add the turns of an agent's progress file to the log of its task",
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      taskId,
      agentId,
      attempt: z.int().min(1),
      turns: z
        .array(z.object({ hash: text(64), message: text(32_768), level: z.enum(['info', 'warn', 'error']) }))
        .max(10_000),
    }),
  output: () => z.object({ recorded: z.int() }),
  run: async (context, input) => {
    const { db, now } = context
    const holding = await findHolding(context, input)
    if (!holding) return { recorded: 0 }
    let recorded = 0
    for (const { hash, message, level } of input.turns) {
      if (!(await insertTurn(db, { task_id: input.taskId, attempt: input.attempt, hash }))) continue
      recorded += 1
      await insertTaskLog(db, {
        task_id: input.taskId,
        agent_id: input.agentId,
        level,
        message,
        attempt: input.attempt,
        percent: null,
        logged_at: now,
      })
    }
    if (recorded === 0) return { recorded }
    await startHeld(context, holding.task)
    const { status, attempt } = await findTask(db, input.taskId)
    const from = { status, attempt, agentId: input.agentId }
    must(await changeStatus(db, input.taskId, from, { progressed_at: now, changed_at: now }), `Task ${input.taskId}`)
    await signOfLife(context, holding.agent)
    return { recorded }
  },
  subject: ({ recorded }, input) =>
    recorded === 0 ? null : { taskId: input.taskId, agentId: input.agentId, details: { turns: recorded } },
})

/** Seed 000: the result file ends the task of an agent that did not end it by a tool. */
export const recordResult = operation({
  name: 'record_result',
  summary: "End an agent's task as its result file says",
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      taskId,
      agentId,
      attempt: z.int().min(1),
      status: z.enum(['completed', 'failed']),
      /** The error of a failed task; otherwise ignored. */
      error: text(32_768),
      resultData: json,
      artifacts: z.array(text(4000)).max(1000),
      criteria: z.array(z.object({ text: text(10_000), met: z.boolean() })).max(1000),
    }),
  output: () => z.object({ recorded: z.boolean(), task: taskView().nullable() }),
  run: async (context, input) => {
    const { db } = context
    const holding = await findHolding(context, input)
    if (!holding) return { recorded: false, task: null }
    await startHeld(context, holding.task)
    const task = await findTask(db, input.taskId)
    await markCriteria(db, task.id, input.criteria)
    const folder =
      task.folder ?? (await workingFolder(context, task.target_worktree ?? holding.agent.assigned_worktree))
    const { present, missing } = lookForArtifacts(folder, input.artifacts)
    await storeMissing(context, task, missing)
    const result = { data: JSON.stringify(input.resultData), artifacts: JSON.stringify(present) }
    if (input.status === 'completed') {
      await completeHeld(context, task, result)
      const open = input.criteria.filter(({ met }) => !met)
      if (open.length > 0)
        await note(
          context,
          task,
          'warn',
          `Completed with ${open.length} of ${input.criteria.length} acceptance criteria not met: ${open.map((one) => one.text).join('; ')}`,
        )
    } else {
      await failHeld(context, task, input.error)
      // Partial results are kept together with the error.
      await changeResult(db, task.id, { result_data: result.data, artifacts: result.artifacts })
    }
    return { recorded: true, task: await viewTask(db, task.id) }
  },
  subject: ({ recorded, task }, input) => {
    const own = task === null ? [] : [task]
    return recorded
      ? {
          taskId: input.taskId,
          agentId: input.agentId,
          details: { status: input.status, ended: endedAmong(own), waiting: waitingAmong(own) },
        }
      : null
  },
})

/** Reports once that a session file cannot be read or was written by another program; nothing of it is used. */
export const recordFileProblem = operation({
  name: 'record_file_problem',
  summary: 'Record a problem of a session file, in the log of its task if there is one',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      file: text(400),
      problem: text(4000),
      of: z.object({ taskId, agentId, attempt: z.int().min(1) }).nullable(),
    }),
  output: () => z.null(),
  run: async (context, { problem, of }) => {
    const holding = of === null ? undefined : await findHolding(context, of)
    if (holding) await note(context, holding.task, 'warn', problem)
    return null
  },
  subject: (_, { file, problem, of }) => ({
    taskId: of?.taskId ?? null,
    agentId: of?.agentId ?? null,
    details: { file, problem },
  }),
})
