import { z } from 'zod'
import { selectAgent } from '../../db/agents.ts'
import { selectAttempts } from '../../db/attempts.ts'
import { insertTaskLog } from '../../db/task-logs.ts'
import { changeStatus } from '../../db/tasks.ts'
import { hostOf } from '../perform/core.ts'
import { findTask, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId, taskId, text } from '../perform/schemas.ts'
import { criteriaMet, markKnown } from './criteria.ts'

/** The beginning of a note that arrived after its attempt had ended. */
const LATE = 'Late: '

export const recordKeptNote = operation({
  name: 'record_kept_note',
  summary:
    'Record a note that an agent of this host made while the board could not be reached, with the time of the note',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      taskId,
      agentId,
      attempt: z.int().min(1).nullable(),
      note: text(32_768).min(1),
      level: z.enum(['debug', 'info', 'warn', 'error']),
      percent: z.int().min(0).max(100).nullable(),
      criteriaMet: criteriaMet(),
      at: z.string(),
    }),
  /** `late`: its attempt had ended. Not recorded: the agent had no such attempt, or is of another host. */
  output: () => z.object({ recorded: z.boolean(), late: z.boolean() }),
  run: async (context, { taskId, agentId, attempt: named, note, level, percent, criteriaMet: met, at }) => {
    const { db, now } = context
    const agent = await selectAgent(db, agentId)
    const own = (await selectAttempts(db, taskId)).filter((one) => one.agent_id === agentId)
    const attempt = own.findLast((one) => (named === null ? one.claimed_at <= at : one.attempt === named))
    if (attempt === undefined || agent?.host_id !== hostOf(context)) return { recorded: false, late: false }
    const late = attempt.outcome !== null
    if (!late) {
      const { status } = await findTask(db, taskId)
      if (status === 'in_progress')
        must(
          await changeStatus(
            db,
            taskId,
            { status, attempt: attempt.attempt, agentId },
            { progressed_at: at < now ? at : now, ...(percent === null ? {} : { progress_percent: percent }) },
          ),
          `Task ${taskId}`,
        )
      // The agent does not send it again, so that nothing of it may be refused now.
      await markKnown(db, taskId, met ?? [])
    }
    await insertTaskLog(db, {
      task_id: taskId,
      agent_id: agentId,
      level,
      message: `${late ? LATE : ''}${note}`,
      attempt: attempt.attempt,
      percent,
      logged_at: at < now ? at : now,
    })
    return { recorded: true, late }
  },
  subject: ({ recorded, late }, { taskId, agentId }) => (recorded ? { taskId, agentId, details: { late } } : null),
})
