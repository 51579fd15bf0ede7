import { z } from 'zod'
import { selectSelfRegisteredPersonas } from '../../db/agents.ts'
import { selectLatestOutcomes } from '../../db/attempts.ts'
import { together } from '../../db/engine/db.ts'
import { selectStartable } from '../../db/task-queue.ts'
import { selectTasks, type TaskRow } from '../../db/tasks.ts'
import { kindIn } from '../../domain/task/metadata.ts'
import { kindOf, whyHeld, whyNoKind } from '../../domain/task/startable.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { taskId } from '../perform/schemas.ts'
import { startableOf } from './startable.ts'

// Tasks that cannot start now, and why.

/** The most pending tasks that are checked. */
const AT_MOST = 1000

export const readHeld = operation({
  name: 'read_held',
  summary: 'List the tasks that cannot start now, and why, without those that need a person',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ taskId: taskId.optional().describe('Only this task') }),
  output: () => z.array(z.object({ taskId: z.int(), why: z.string() })),
  run: async (context, { taskId }) =>
    heldOf(
      context,
      await selectTasks(context.db, {
        statuses: ['pending'],
        limit: AT_MOST,
        ...(taskId === undefined ? {} : { ids: [taskId] }),
      }),
    ),
})

interface HeldTask {
  readonly taskId: number
  readonly why: string
}

/**
 * The pending tasks among these that cannot start now, with reasons; without those that wait for a person's approval.
 */
export const heldOf = async (context: Context, rows: readonly TaskRow[]): Promise<HeldTask[]> => {
  if (rows.length === 0) return []
  const { db, settings, kinds } = context
  const ids = rows.map((row) => row.id)
  const [outcomes, served, startable] = await together(
    selectLatestOutcomes(db, ids),
    servedPersonas(context),
    startableOf(context, rows),
  )
  const errors = new Map(rows.map((row) => [row.id, outcomes.get(row.id) === 'not_started' ? row.error_message : null]))
  return startable.flatMap((task) => {
    if (served.has(task.personaId) && !task.worktreeEnded) return []
    const why = whyHeld({ ...task, commandAllowed: true }, settings, kinds) ?? errors.get(task.id)
    return why ? [{ taskId: task.id, why }] : []
  })
}

/**
 * The most ready tasks that are checked: every refresh of a screen reads them, and a thousand cost 14 ms on a board of
 * 100,000. A task that cannot start comes to the head of the queue as others leave it.
 */
const LOOKED_AT = 100

/** The due tasks for which no kind of agent exists, or only one whose program is not installed, with reasons. */
export const unstartableOf = async (context: Context): Promise<readonly HeldTask[]> => {
  const { db, now, settings, kinds, missingProgram } = context
  const held = (await selectStartable(db, now, LOOKED_AT, null)).flatMap(
    ({ id, persona_id, command, metadata, wanted_agent_id }) => {
      const task = { personaId: persona_id, command, kind: kindIn(metadata), agentId: wanted_agent_id }
      const why = whyNoKind(task, settings, kinds) ?? missingProgram?.(kindOf(task, settings)!)
      return why === undefined ? [] : [{ taskId: id, why, personaId: persona_id }]
    },
  )
  if (held.length === 0) return []
  const served = await servedPersonas(context)
  return held.filter(({ personaId }) => !served.has(personaId)).map(({ taskId, why }) => ({ taskId, why }))
}

/** A self-registered agent claims tasks whether or not aiswarm can start one. */
const servedPersonas = async ({ db }: Context): Promise<ReadonlySet<string>> =>
  new Set(await selectSelfRegisteredPersonas(db))
