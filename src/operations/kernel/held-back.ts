import { selectAgents } from '../../db/agents.ts'
import { selectLatestOutcomes } from '../../db/attempts.ts'
import type { TaskRow } from '../../db/tasks.ts'
import { whyHeld } from '../../domain/schedule.ts'
import type { Context } from './core.ts'
import { startableOf } from './startable.ts'

export interface HeldTask {
  readonly taskId: number
  readonly why: string
}

/** Which of these pending tasks nobody can start as things are, and why; what waits for a word of a person is not among them. */
export const heldOf = async (context: Context, rows: readonly TaskRow[]): Promise<HeldTask[]> => {
  if (rows.length === 0) return []
  const { db, settings, kinds } = context
  const outcomes = await selectLatestOutcomes(
    db,
    rows.map((row) => row.id),
  )
  const errors = new Map(rows.map((row) => [row.id, outcomes.get(row.id) === 'not_started' ? row.error_message : null]))
  // An agent that registered itself claims by itself, whatever we could start.
  const served = new Set((await selectAgents(db, { live: true, processes: ['none'] })).map((agent) => agent.persona_id))
  return (await startableOf(context, rows)).flatMap((task) => {
    if (served.has(task.personaId) && !task.worktreeEnded) return []
    const why = whyHeld({ ...task, commandAllowed: true }, settings, kinds) ?? errors.get(task.id)
    return why ? [{ taskId: task.id, why }] : []
  })
}
