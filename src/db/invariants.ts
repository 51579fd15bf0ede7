import { type RawBuilder, sql } from 'kysely'
import type { Db } from './engine/db.ts'

// Conditions that every board fulfils, as queries that both engines answer: each returns the subjects that break it.

interface Invariant {
  /** The finding about a subject. */
  readonly says: (subject: string) => string
  readonly broken: RawBuilder<{ subject: string | number }>
}

const invariants: readonly Invariant[] = [
  {
    says: (task) => `The attempts of task ${task} are not numbered 1, 2, 3 and so on.`,
    broken: sql`SELECT task_id AS subject FROM task_attempts GROUP BY task_id HAVING count(*) <> max(attempt) ORDER BY task_id LIMIT 5`,
  },
  {
    says: (task) => `Task ${task} has another number of attempts than its row.`,
    broken: sql`SELECT task_status.task_id AS subject FROM task_status
      WHERE task_status.attempt <> coalesce((SELECT max(attempt) FROM task_attempts WHERE task_attempts.task_id = task_status.task_id), 0)
      ORDER BY task_status.task_id LIMIT 5`,
  },
  {
    says: (task) => `Task ${task} has an open attempt, but no agent holds it, or the other way round.`,
    broken: sql`SELECT task_status.task_id AS subject FROM task_status
      WHERE (SELECT count(*) FROM task_attempts WHERE task_attempts.task_id = task_status.task_id AND ended_at IS NULL)
        <> CASE WHEN status IN ('claimed', 'in_progress') THEN 1 ELSE 0 END
      ORDER BY task_status.task_id LIMIT 5`,
  },
  {
    says: (task) => `Task ${task} was completed more than once.`,
    broken: sql`SELECT task_id AS subject FROM task_attempts WHERE outcome = 'completed' GROUP BY task_id HAVING count(*) > 1 ORDER BY task_id LIMIT 5`,
  },
  {
    says: (state) => `The number of tasks that are ${state} differs from the tasks.`,
    broken: sql`SELECT told.status AS subject FROM task_counts AS told
      WHERE told.tasks <> (SELECT count(*) FROM task_status WHERE task_status.status = told.status) ORDER BY told.status`,
  },
  {
    says: (task) => `Task ${task} is missing in the queue, or there without being pending.`,
    broken: sql`SELECT task_status.task_id AS subject FROM task_status
      WHERE (SELECT count(*) FROM task_queue WHERE task_queue.task_id = task_status.task_id)
        <> CASE WHEN status = 'pending' THEN 1 ELSE 0 END
      ORDER BY task_status.task_id LIMIT 5`,
  },
  {
    says: (state) => `The number of tasks that are ${state} is missing.`,
    broken: sql`SELECT status AS subject FROM task_status WHERE status NOT IN (SELECT status FROM task_counts) GROUP BY status ORDER BY status`,
  },
  {
    says: (subject) => `The usage of ${subject} differs from its runs.`,
    broken: sql`SELECT used.scope || ' ' || used.subject AS subject FROM (
        SELECT 'agent' AS scope, agent_id AS subject, sum(tokens_in) AS went_in, sum(tokens_out) AS came_out FROM agent_runs GROUP BY agent_id
        UNION ALL SELECT 'task', CAST(task_id AS TEXT), sum(tokens_in), sum(tokens_out) FROM agent_runs WHERE task_id IS NOT NULL GROUP BY task_id
        UNION ALL SELECT 'session', session_id, sum(tokens_in), sum(tokens_out) FROM agent_runs
          JOIN run_sessions ON run_sessions.agent_id = agent_runs.agent_id AND run_sessions.run = agent_runs.run GROUP BY session_id
      ) AS used LEFT JOIN usage_totals AS told ON told.scope = used.scope AND told.subject = used.subject
      WHERE used.went_in <> coalesce(told.tokens_in, 0) OR used.came_out <> coalesce(told.tokens_out, 0)
      ORDER BY used.scope, used.subject LIMIT 5`,
  },
  {
    says: (worktree) => `The merge of worktree ${worktree} reached its target without an approval.`,
    broken: sql`SELECT worktree AS subject FROM integrations WHERE status = 'integrated' AND approved_by IS NULL ORDER BY id LIMIT 5`,
  },
  {
    // A server gives numbers to events that are not committed, so a gap in them says nothing; the rows of the same commits do.
    says: (task) => `Task ${task} changed after the last event: the events since then were removed.`,
    broken: sql`SELECT changed.task_id AS subject FROM (
        SELECT id AS task_id, created_at AS at FROM tasks
        UNION ALL SELECT task_id, claimed_at FROM task_attempts
        UNION ALL SELECT task_id, ended_at FROM task_attempts
      ) AS changed WHERE changed.at > (SELECT coalesce(max(at), '') FROM events)
      GROUP BY changed.task_id ORDER BY changed.task_id LIMIT 5`,
  },
]

/** The invariants that do not hold, one sentence for each subject; empty if the board is sound. */
export const findBrokenInvariants = async (db: Db): Promise<readonly string[]> => {
  const findings: string[] = []
  for (const { says, broken } of invariants)
    findings.push(...(await broken.execute(db)).rows.map(({ subject }) => says(String(subject))))
  const circles = circlesIn(await db.selectFrom('task_dependencies').select(['task_id', 'depends_on']).execute())
  return [...findings, ...circles.slice(0, 5).map((task) => `Task ${task} depends on itself.`)]
}

/** The tasks that depend on themselves, over any number of others, and those between two such circles. */
const circlesIn = (all: readonly { readonly task_id: number; readonly depends_on: number }[]): readonly number[] => {
  let left = all
  for (let before = Infinity; left.length < before;) {
    before = left.length
    const tasks = new Set(left.map(({ task_id }) => task_id))
    const needed = new Set(left.map(({ depends_on }) => depends_on))
    left = left.filter(({ task_id, depends_on }) => tasks.has(depends_on) && needed.has(task_id))
  }
  return [...new Set(left.map(({ task_id }) => task_id))].sort((one, other) => one - other)
}
