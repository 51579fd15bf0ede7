import { selectAgents } from '../../db/agents.ts'
import { selectLatestOutcomes } from '../../db/attempts.ts'
import { selectStartable } from '../../db/task-queue.ts'
import type { TaskRow } from '../../db/tasks.ts'
import { whyHeld, whyNoKind } from '../../domain/schedule.ts'
import type { Context } from './core.ts'
import { startableOf, taskKind } from './startable.ts'

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
  const served = await servedPersonas(context)
  return (await startableOf(context, rows)).flatMap((task) => {
    if (served.has(task.personaId) && !task.worktreeEnded) return []
    const why = whyHeld({ ...task, commandAllowed: true }, settings, kinds) ?? errors.get(task.id)
    return why ? [{ taskId: task.id, why }] : []
  })
}

/** At most so many of the tasks that could start are looked at, and so many named. */
const LOOKED_AT = 1000
const NAMED = 100

/** Which of the tasks that are due have no kind of agent that could take them, and why. */
export const unstartableOf = async (context: Context): Promise<readonly HeldTask[]> => {
  const { db, now, settings, kinds } = context
  const held = (await selectStartable(db, now, LOOKED_AT, null)).flatMap(({ id, persona_id, command, metadata, wanted_agent_id }) => {
    const why = whyNoKind({ personaId: persona_id, command, kind: taskKind(metadata), agentId: wanted_agent_id }, settings, kinds)
    return why === undefined ? [] : [{ taskId: id, why, personaId: persona_id }]
  })
  if (held.length === 0) return []
  const served = await servedPersonas(context)
  return held
    .filter(({ personaId }) => !served.has(personaId))
    .slice(0, NAMED)
    .map(({ taskId, why }) => ({ taskId, why }))
}

/** An agent that registered itself claims by itself, whatever we could start. */
const servedPersonas = async ({ db }: Context): Promise<ReadonlySet<string>> =>
  new Set((await selectAgents(db, { live: true, processes: ['none'] })).map((agent) => agent.persona_id))
