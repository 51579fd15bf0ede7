import { z } from 'zod'
import type { Db } from '../../db/engine/db.ts'
import { selectRuns, selectUnconfinedRuns } from '../../db/runs.ts'
import { selectTaskLogs } from '../../db/task-logs.ts'
import { selectMissingArtifacts, selectTasks } from '../../db/tasks.ts'
import type { ClaimedTask } from '../../domain/task/claim-findings.ts'
import { findWorktree } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject, worktreeName } from '../perform/schemas.ts'
import { type TaskView, viewTasks } from '../views/tasks.ts'

// The claims of agents about the work in a worktree, and which of them worked without a sandbox.

const claimedTask = lazyObject(() => ({
  id: z.int(),
  title: z.string(),
  status: z.string(),
  said: z.array(z.object({ where: z.string(), text: z.string() })),
  criteria: z.array(z.object({ text: z.string(), met: z.boolean() })),
  artifacts: z.array(z.string()),
  missing: z.array(z.string()),
  lastExit: z.int().nullable(),
}))

/** The newest tasks only, because a person reads the review. */
const TASKS = 50
const NOTES = 5

export const readClaims = operation({
  name: 'read_claims',
  summary:
    'Read the claims about the tasks of a worktree: results, criteria, last notes, exit codes of their last processes',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ worktreeName }),
  output: () => z.array(claimedTask()),
  run: async ({ db }, input) => {
    await findWorktree(db, input.worktreeName)
    const rows = await selectTasks(db, {
      worktree: input.worktreeName,
      statuses: ['completed', 'failed', 'in_progress'],
      order: 'newest',
      limit: TASKS,
    })
    return Promise.all((await viewTasks(db, [...rows].reverse())).map((task) => claimsIn(db, task)))
  },
})

const claimsIn = async (db: Db, task: TaskView): Promise<z.output<ReturnType<typeof claimedTask>>> => {
  const lastRun = (await selectRuns(db, { taskId: task.id })).at(-1)
  const notes = await selectTaskLogs(db, { taskId: task.id, last: NOTES })
  const said: ClaimedTask['said'] = [
    ...wordsOf(task.resultData).map((text) => ({ where: `the result of task ${task.id}`, text })),
    ...notes.map(({ message }) => ({ where: `a note of task ${task.id}`, text: message })),
    ...(lastRun?.said ? [{ where: `${lastRun.agent_id}'s last message`, text: lastRun.said }] : []),
  ]
  return {
    id: task.id,
    title: task.title,
    status: task.status,
    said: [...said],
    criteria: task.acceptanceCriteria,
    artifacts: task.artifacts,
    missing: [...(await selectMissingArtifacts(db, task.id))],
    lastExit: lastRun?.exit_code ?? null,
  }
}

/** The texts in a result of any shape. */
const wordsOf = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) =>
    typeof part === 'boolean' || typeof part === 'number' ? [`${name}: ${part}`] : wordsOf(part),
  )
}

export const readUnconfined = operation({
  name: 'read_unconfined',
  summary: 'Read which agents worked on a worktree without a sandbox, and why',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ worktreeName }),
  output: () => z.array(z.object({ agents: z.array(z.string()), why: z.string() })),
  run: async ({ db }, input) => {
    await findWorktree(db, input.worktreeName)
    const runs = await selectUnconfinedRuns(db, input.worktreeName)
    return [...Map.groupBy(runs, ({ why }) => why)].map(([why, ofWhy]) => ({
      agents: [...new Set(ofWhy.map(({ agentId }) => agentId))],
      why,
    }))
  },
})
