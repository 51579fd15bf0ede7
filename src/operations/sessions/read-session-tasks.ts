import { z } from 'zod'
import { selectSession } from '../../db/sessions.ts'
import { selectTasks } from '../../db/tasks.ts'
import { operation } from '../perform/operation.ts'
import { taskView, viewTasks } from '../views/tasks.ts'

/** The page size: some 2 ms, so that reading a large board blocks no other work. */
const PAGE = 100

export const readSessionTasks = operation({
  name: 'read_session_tasks',
  summary: 'List the tasks of a session by number, a page at a time',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ sessionId: z.string(), from: z.int() }),
  output: () =>
    z.object({
      tasks: z.array(taskView()),
      /** The start of the next page; null after the last. */
      next: z.int().nullable(),
    }),
  run: async ({ db }, { sessionId, from }) => {
    const session = await selectSession(db, sessionId)
    if (!session) return { tasks: [], next: null }
    const rows = await selectTasks(db, {
      ofSession: { id: session.id, since: session.started_at },
      fromId: from,
      limit: PAGE,
    })
    return { tasks: await viewTasks(db, rows), next: rows.length < PAGE ? null : rows.at(-1)!.id + 1 }
  },
})
