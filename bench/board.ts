import { closeSync, mkdirSync, openSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type Connection } from '../src/db/sqlite/database.ts'
import { instant, type Instant, later, sessionId } from '../src/domain/words/time.ts'
import { openBenchCore } from './bench-core.ts'

export interface BoardSize {
  readonly tasks: number
  readonly agents: number
  readonly logs: number
}

/**
 * The size of the board that the console is measured on, and the size at which everything must
 * still hold.
 */
export const fullSize: BoardSize = { tasks: 10_000, agents: 200, logs: 1_000_000 }
export const hugeSize: BoardSize = { tasks: 100_000, agents: 200, logs: 1_000_000 }
export const bothSizes: readonly BoardSize[] = [fullSize, hugeSize]

/** The age of the session. */
const SESSION = 8 * 3_600_000

/**
 * Fills a new database in `folder`: tasks in every state that ends or waits, in trees of ten that depend on each
 * other, idle agents, an attempt and two events for each ended task, and logs. One statement per table generates its
 * rows: 100,000 tasks and 1,000,000 logs take about 6 s on one of two busy cores, and took three times that with an
 * INSERT per row.
 */
export const makeBoard = async (folder: string, size: BoardSize): Promise<void> => {
  const core = await openBenchCore(folder)
  core.store.close()
  const db = connect(join(folder, 'coordination.db'))
  const now = instant(Date.now())
  db.transaction(() => {
    fillSession(db, size, now)
    fillTasks(db, size, now)
    fillHistory(db, size, now)
    fill(
      db,
      'task_logs (task_id, agent_id, level, message, logged_at)',
      size.logs,
      `1 + (n - 1) % ${size.tasks}, 'bench-' || (1 + n % ${size.agents}), ${logLevel}, ${logText}, ?`,
      [now],
    )
  })()
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

const logLevel = "CASE WHEN n % 200 = 7 THEN 'error' WHEN n % 20 = 3 THEN 'warn' ELSE 'info' END"
const logText = "'note ' || n || ' of the generated board' || CASE WHEN n % 40 = 0 THEN ', a needle in it' ELSE '' END"

/** The rows `n` = 1 … `rows`, each computed from `n` by `values`. */
const fill = (
  db: Connection,
  into: string,
  rows: number,
  values: string,
  parameters: readonly string[] = [],
  where = '',
): void => {
  const numbers = `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})`
  db.prepare(`INSERT INTO ${into} ${numbers} SELECT ${values} FROM numbers ${where}`).run(...parameters)
}

const fillSession = (db: Connection, { agents }: BoardSize, now: Instant): void => {
  const began = later(now, -SESSION)
  db.prepare("INSERT INTO sessions (id, goal, status, started_at) VALUES (?, 'To be measured', 'running', ?)").run(
    sessionId(began),
    began,
  )
  fill(
    db,
    'agents (id, persona_id, kind, status, registered_at, last_heartbeat)',
    agents,
    "'bench-' || n, 'implementer', 'external', 'idle', ?, ?",
    [began, now],
  )
}

/** The state of task `n`; four of eight states are final. */
const state =
  "CASE n % 8 WHEN 3 THEN 'pending' WHEN 4 THEN 'pending' WHEN 5 THEN 'failed' WHEN 6 THEN 'cancelled' WHEN 7 THEN 'pending' ELSE 'completed' END"
const isOver = 'n % 8 NOT IN (3, 4, 7)'

const fillTasks = (db: Connection, { tasks }: BoardSize, now: Instant): void => {
  const title = "'Task number ' || n || ' of the generated board'"
  fill(
    db,
    'tasks (id, title, description, persona_id, priority, created_by, created_at)',
    tasks,
    `n, ${title}, '', 'implementer', n % 100, 'human', ?`,
    [later(now, -SESSION)],
  )
  fill(
    db,
    'task_status (task_id, status, completed_at, changed_at)',
    tasks,
    `n, ${state}, iif(${isOver}, ${endOf(tasks)}, NULL), ${endOf(tasks)}`,
    [later(now, -SESSION), later(now, -SESSION)],
  )
  // In every ten each depends on one of those before it, and the tenth on a second one.
  fill(db, 'task_dependencies (task_id, depends_on)', tasks, 'n, n - 1 - n % 2', [], 'WHERE n % 10 <> 1')
  fill(db, 'task_dependencies (task_id, depends_on)', tasks, 'n, n - 5', [], 'WHERE n % 10 = 0')
}

/** The end of task `n`: one after the other over the whole session, whose start is the parameter. */
const endOf = (tasks: number): string =>
  `strftime('%Y-%m-%dT%H:%M:%fZ', ?, '+' || (n * ${(SESSION / 1000) * 0.99} / ${tasks}) || ' seconds')`

const fillHistory = (db: Connection, { tasks, agents }: BoardSize, now: Instant): void => {
  const began = later(now, -SESSION)
  const agent = `'bench-' || (1 + n % ${agents})`
  const outcome = "CASE n % 8 WHEN 5 THEN 'failed' WHEN 6 THEN 'cancelled' ELSE 'completed' END"
  const claimed = `strftime('%Y-%m-%dT%H:%M:%fZ', ?, '+' || max(0, n * ${(SESSION / 1000) * 0.99} / ${tasks} - 60) || ' seconds')`
  fill(
    db,
    'task_attempts (task_id, attempt, agent_id, claimed_at, started_at, ended_at, outcome, commits_recorded)',
    tasks,
    `n, 1, ${agent}, ${claimed}, ${claimed}, ${endOf(tasks)}, ${outcome}, 1`,
    [began, began, began],
    `WHERE ${isOver}`,
  )
  const operation = `CASE WHEN n % 2 = 1 THEN 'claim_task' WHEN (n / 2) % 8 = 5 THEN 'fail_task' WHEN (n / 2) % 8 = 6 THEN 'cancel_task' ELSE 'complete_task' END`
  fill(
    db,
    'events (at, actor, operation, task_id, agent_id)',
    2 * tasks,
    `strftime('%Y-%m-%dT%H:%M:%fZ', ?, '+' || (n * ${(SESSION / 1000) * 0.99} / ${2 * tasks}) || ' seconds'), 'bench-' || (1 + (n / 2) % ${agents}), ${operation}, max(1, n / 2), 'bench-' || (1 + (n / 2) % ${agents})`,
    [began],
    'WHERE (n / 2) % 8 NOT IN (3, 4, 7)',
  )
}

/** Idle agents send heartbeats; without this one they would count as offline after a minute. */
export const greetAgents = (folder: string): void => {
  const db = connect(join(folder, 'coordination.db'))
  db.prepare("UPDATE agents SET last_heartbeat = ?, status = 'idle' WHERE id LIKE 'bench-%'").run(instant(Date.now()))
  db.close()
}

/** An output file of `bytes` bytes, of which only the end is written. */
export const makeOutput = (root: string, agentId: string, bytes: number): void => {
  mkdirSync(join(root, '.aiswarm', 'logs'), { recursive: true })
  const path = join(root, '.aiswarm', 'logs', `${agentId}.log`)
  closeSync(openSync(path, 'w'))
  truncateSync(path, bytes)
  const file = openSync(path, 'a')
  for (let n = 0; n < 1000; n++) writeSync(file, `line ${n} at the end of a large file\n`)
  closeSync(file)
}
