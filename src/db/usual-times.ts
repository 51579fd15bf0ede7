import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'

interface CompletedAttempt {
  readonly persona_id: string
  readonly command: string | null
  readonly started_at: Instant
  readonly ended_at: Instant
}

/** The latest completed attempts, newest first. */
export const selectCompletedAttempts = async (db: Db, limit: number): Promise<readonly CompletedAttempt[]> => {
  const rows = await db
    .selectFrom('task_attempts')
    .innerJoin('tasks', 'tasks.id', 'task_attempts.task_id')
    .where('task_attempts.outcome', '=', 'completed')
    .where('task_attempts.ended_at', 'is not', null)
    .where('task_attempts.started_at', 'is not', null)
    .select(['tasks.persona_id', 'tasks.command', 'task_attempts.started_at', 'task_attempts.ended_at'])
    .orderBy('task_attempts.ended_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ started_at, ended_at, ...row }) => ({ ...row, started_at: started_at!, ended_at: ended_at! }))
}
