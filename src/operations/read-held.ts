import { z } from 'zod'
import { selectAgents } from '../db/agents.ts'
import { selectLatestOutcomes } from '../db/attempts.ts'
import { selectTasks } from '../db/tasks.ts'
import { whyHeld } from '../domain/schedule.ts'
import { operation } from './kernel/operation.ts'
import { startableOf } from './kernel/startable.ts'

/** At most so many of the tasks that wait are looked at. */
const AT_MOST = 1000

export const readHeld = operation({
  name: 'read_held',
  summary: 'The tasks that nobody can start as things are, and why; what waits for a word of a person is not among them',
  access: 'read',
  authority: 'anyone',
  input: z.strictObject({}),
  output: z.array(z.object({ taskId: z.int(), why: z.string() })),
  run: async ({ db, settings, kinds }) => {
    const rows = await selectTasks(db, { statuses: ['pending'], limit: AT_MOST })
    const outcomes = await selectLatestOutcomes(
      db,
      rows.map((row) => row.id),
    )
    const errors = new Map(rows.map((row) => [row.id, outcomes.get(row.id) === 'not_started' ? row.error_message : null]))
    // An agent that registered itself claims by itself, whatever we could start.
    const served = new Set((await selectAgents(db, { live: true, processes: ['none'] })).map((agent) => agent.persona_id))
    return (await startableOf(db, rows)).flatMap((task) => {
      if (served.has(task.personaId) && !task.worktreeEnded) return []
      const why = whyHeld({ ...task, commandAllowed: true }, settings, kinds) ?? errors.get(task.id)
      return why ? [{ taskId: task.id, why }] : []
    })
  },
})
