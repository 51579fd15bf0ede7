import { z } from 'zod'
import { lastTaskLog, searchTaskLogs as findLogs } from '../db/task-log-search.ts'
import { text } from './kernel/inputs.ts'
import { operation } from './kernel/operation.ts'
import { taskLogView, viewTaskLog } from './kernel/task-log-view.ts'

/** Notes that a search goes through, the newest: it holds everything else up (measured: 50,000 of 1,000,000 in 30 ms). */
const AMONG = 50_000

export const searchTaskLogs = operation({
  name: 'search_task_logs',
  summary: 'Find notes of tasks by words, among the newest',
  access: 'read',
  authority: 'anyone',
  input: z.strictObject({ words: z.array(text(1000).min(1)).min(1).max(20), limit: z.int().min(1).max(50) }),
  /** `among` is the number of notes that were looked at where there are more; else null. */
  output: z.object({ logs: z.array(taskLogView), among: z.int().nullable() }),
  run: async ({ db }, { words, limit }) => ({
    logs: (await findLogs(db, words, { among: AMONG, limit })).map(viewTaskLog),
    among: (await lastTaskLog(db)) > AMONG ? AMONG : null,
  }),
})
