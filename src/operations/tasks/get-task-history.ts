import { z } from 'zod'
import { selectTaskEvents } from '../../db/events.ts'
import type { RecordedOperation } from '../../domain/session/replay.ts'
import { editableFields } from '../../domain/task/edits.ts'
import { findTask } from '../perform/find.ts'
import { lazyObject, parsed, taskId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

const fieldChange = lazyObject(() => ({ field: z.enum(editableFields), from: z.unknown(), to: z.unknown() }))

const entry = lazyObject(() => ({
  at: z.string(),
  actor: z.string(),
  did: z.enum(['created', 'edited', 'retried', 'cancelled', 'budget']),
  changes: z.array(fieldChange()),
}))
export type TaskHistoryEntry = z.output<ReturnType<typeof entry>>

const verbs = {
  edit_task: 'edited',
  retry_task: 'retried',
  cancel_task: 'cancelled',
  answer_budget: 'budget',
} as const satisfies Partial<Record<RecordedOperation, TaskHistoryEntry['did']>>

/** The most entries that are read, the newest. */
const MOST = 500

export const getTaskHistory = operation({
  name: 'get_task_history',
  summary: 'Show who changed a task, when and what, oldest first',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ taskId }),
  output: () => z.array(entry()),
  run: async ({ db }, input) => {
    const task = await findTask(db, input.taskId)
    const events = await selectTaskEvents(db, { ...input, operations: Object.keys(verbs), limit: MOST })
    return [
      { at: task.created_at, actor: task.created_by ?? 'unknown', did: 'created' as const, changes: [] },
      ...events.map(({ at, actor, operation, details }) => ({
        at,
        actor,
        did: verbs[operation as keyof typeof verbs],
        changes: changesIn(parsed(details)),
      })),
    ]
  },
})

const changesIn = (details: unknown): z.output<ReturnType<typeof fieldChange>>[] => {
  const read = z.object({ changes: z.array(fieldChange()) }).safeParse(details)
  return read.success ? read.data.changes : []
}
