import { createHash } from 'node:crypto'
import type { Connection } from '../src/db/sqlite/database.ts'

// The statements that two operations send to SQLite, prepared, without anything around them; of a completion without
// those of its memories. Both return false if the task was not in the state they expect.

/** Those of `claim_task`. */
export const claimByHand = (db: Connection, agentId: string): ((taskId: number) => boolean) => {
  const task = db.prepare('SELECT * FROM tasks JOIN task_status ON task_status.task_id = tasks.id WHERE tasks.id = ?')
  const agent = db.prepare('SELECT * FROM agents WHERE id = ?')
  const obstacles = db.prepare(
    "SELECT budget.*, own.id, races.task_id, races.ended_at, racers.kind, needed.task_id FROM task_status LEFT JOIN task_budgets budget ON budget.task_id = task_status.task_id LEFT JOIN races own ON own.task_id = task_status.task_id AND own.ended_at IS NULL LEFT JOIN racers ON racers.task_id = task_status.task_id LEFT JOIN races ON races.id = racers.race_id LEFT JOIN task_dependencies d ON d.task_id = task_status.task_id LEFT JOIN task_status needed ON needed.task_id = d.depends_on AND needed.status <> 'completed' WHERE task_status.task_id = ? ORDER BY needed.task_id",
  )
  const set = db.prepare(
    "UPDATE task_status SET status = 'claimed', assigned_agent_id = ?, attempt = attempt + 1, claimed_at = ?, lease_expires_at = ?, changed_at = ? WHERE task_id = ? AND status = 'pending' AND attempt = ?",
  )
  const attempt = db.prepare('INSERT INTO task_attempts (task_id, attempt, agent_id, claimed_at) VALUES (?, 1, ?, ?)')
  const alive = db.prepare("UPDATE agents SET last_heartbeat = ?, status = 'active' WHERE id = ?")
  const needs = db.prepare('SELECT depends_on FROM task_dependencies WHERE task_id = ?')
  const criteria = db.prepare('SELECT text, met FROM task_criteria WHERE task_id = ?')
  const deadline = deadlineOf(db)
  const record = recordOf(db, 'claim_task')
  return inTransaction(db, (taskId, now) => {
    agent.get(agentId)
    task.get(taskId)
    obstacles.all(taskId)
    if (set.run(agentId, now, now, now, taskId, 0).changes === 0) return false
    deadline.run('task', String(taskId))
    deadline.run('agent', agentId)
    attempt.run(taskId, agentId, now)
    alive.run(now, agentId)
    task.get(taskId)
    needs.all(taskId)
    criteria.all(taskId)
    record(now, taskId, agentId, '{"attempt":1}')
    return true
  })
}

/** Those of `complete_task`. */
export const completeByHand = (db: Connection, agentId: string): ((taskId: number) => boolean) => {
  const task = db.prepare('SELECT * FROM tasks JOIN task_status ON task_status.task_id = tasks.id WHERE tasks.id = ?')
  const agent = db.prepare('SELECT * FROM agents WHERE id = ?')
  const set = db.prepare(
    "UPDATE task_status SET status = 'completed', completed_at = ?, lease_expires_at = NULL, changed_at = ? WHERE task_id = ? AND status = 'claimed' AND assigned_agent_id = ?",
  )
  const attempt = db.prepare(
    "UPDATE task_attempts SET ended_at = ?, outcome = 'completed' WHERE task_id = ? AND attempt = 1",
  )
  const alive = db.prepare("UPDATE agents SET last_heartbeat = ?, status = 'idle' WHERE id = ?")
  const needs = db.prepare('SELECT depends_on FROM task_dependencies WHERE task_id = ?')
  const criteria = db.prepare('SELECT text, met FROM task_criteria WHERE task_id = ?')
  const deadline = deadlineOf(db)
  const record = recordOf(db, 'complete_task')
  return inTransaction(db, (taskId, now) => {
    agent.get(agentId)
    task.get(taskId)
    if (set.run(now, now, taskId, agentId).changes === 0) return false
    attempt.run(now, taskId)
    deadline.run('agent', agentId)
    alive.run(now, agentId)
    task.get(taskId)
    needs.all(taskId)
    criteria.all(taskId)
    record(now, taskId, agentId, '{}')
    return true
  })
}

const deadlineOf = (db: Connection) =>
  db.prepare(
    "INSERT INTO deadlines (subject, id, boot, ends_ms) VALUES (?, ?, 'this boot', 60000) ON CONFLICT (subject, id) DO UPDATE SET boot = excluded.boot, ends_ms = excluded.ends_ms",
  )

/** Records an event in the chain of hashes. */
const recordOf = (
  db: Connection,
  operation: string,
): ((now: string, taskId: number, agentId: string, details: string) => void) => {
  const event = db.prepare(
    `INSERT INTO events (at, actor, operation, task_id, agent_id, details) VALUES (?, 'human', '${operation}', ?, ?, ?) RETURNING id`,
  )
  const last = db.prepare<[], { readonly hash: string }>('SELECT hash FROM event_chain ORDER BY event_id DESC LIMIT 1')
  const link = db.prepare(
    'INSERT INTO event_chain (event_id, hash) VALUES (?, ?) ON CONFLICT (event_id) DO UPDATE SET hash = excluded.hash',
  )
  return (now, taskId, agentId, details) => {
    const { id } = event.get(now, taskId, agentId, details) as { readonly id: number }
    const text = JSON.stringify([last.get()?.hash, id, now, 'human', operation, taskId, agentId, details])
    link.run(id, createHash('sha256').update(text).digest('hex'))
  }
}

const inTransaction =
  (db: Connection, work: (taskId: number, now: string) => boolean) =>
  (taskId: number): boolean => {
    db.exec('BEGIN IMMEDIATE')
    const done = work(taskId, new Date().toISOString())
    db.exec(done ? 'COMMIT' : 'ROLLBACK')
    return done
  }
