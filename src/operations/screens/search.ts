import { z } from 'zod'
import { selectMatches } from '../../db/task-filter.ts'
import { lastTaskLog, searchTaskLogs as findLogs } from '../../db/task-logs.ts'
import { kindRules } from '../../domain/settings/persona-settings.ts'
import { operation } from '../perform/operation.ts'
import { text } from '../perform/schemas.ts'
import { whereOf } from '../tasks/list.ts'
import { taskLogView, viewTaskLog } from '../views/tasks.ts'

// Searches of the console: tasks by a filter, notes by words.

export const findTasks = operation({
  name: 'find_tasks',
  summary: 'Find the tasks that match a filter in a span of numbers, so that a board of any size is searched in parts',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      where: z.string().max(2000),
      from: z.int().min(0).default(1),
      span: z.int().min(1).max(10_000).default(2000),
    }),
  output: () =>
    z.object({
      ids: z.array(z.int()).readonly(),
      next: z.int().nullable().describe('Where to continue; null at the end of the board'),
    }),
  run: async (context, { where, from, span }) => {
    const {
      where: asked = { terms: [], now: context.now, quietSince: context.now, kinds: kindRules(context.settings) },
    } = whereOf(where, context)
    return selectMatches(context.db, asked, from, span)
  },
})

/** The newest notes that a search reads: it blocks everything else (measured: 50,000 of 1,000,000 in 30 ms). */
const AMONG = 50_000

export const searchTaskLogs = operation({
  name: 'search_task_logs',
  summary: 'Find notes of tasks by words among the newest notes',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ words: z.array(text(1000).min(1)).min(1).max(20), limit: z.int().min(1).max(50) }),
  /** `among` is the number of notes that were searched if there are more; otherwise null. */
  output: () => z.object({ logs: z.array(taskLogView()), among: z.int().nullable() }),
  run: async ({ db }, { words, limit }) => ({
    logs: (await findLogs(db, words, { among: AMONG, limit })).map(viewTaskLog),
    among: (await lastTaskLog(db)) > AMONG ? AMONG : null,
  }),
})
