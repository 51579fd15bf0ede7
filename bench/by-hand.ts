import type { Connection } from '../src/db/engine/sqlite.ts'

// The statements that two operations send to SQLite, prepared, without anything around them. Both return false if the
// task was not in the state they expect.

/** Those of `claim_task`. */
export const claimByHand = (db: Connection, agentId: string): ((taskId: number) => boolean) => {
  const task = db.prepare('SELECT * FROM tasks JOIN task_status ON task_status.task_id = tasks.id WHERE tasks.id = ?')
  const agent = db.prepare('SELECT * FROM agents WHERE id = ?')
  const blockers = db.prepare(
    "SELECT depends_on FROM task_dependencies JOIN task_status s ON s.task_id = depends_on WHERE task_dependencies.task_id = ? AND s.status <> 'completed'",
  )
  const set = db.prepare(
    "UPDATE task_status SET status = 'claimed', assigned_agent_id = ?, attempt = attempt + 1, claimed_at = ?, lease_expires_at = ?, changed_at = ? WHERE task_id = ? AND status = 'pending' AND attempt = ?",
  )
  const attempt = db.prepare('INSERT INTO task_attempts (task_id, attempt, agent_id, claimed_at) VALUES (?, 1, ?, ?)')
  const alive = db.prepare("UPDATE agents SET last_heartbeat = ?, status = 'active' WHERE id = ?")
  const needs = db.prepare('SELECT depends_on FROM task_dependencies WHERE task_id = ?')
  const criteria = db.prepare('SELECT text, met FROM task_criteria WHERE task_id = ?')
  const event = eventOf(db, 'claim_task')
  return inTransaction(db, (taskId, now) => {
    agent.get(agentId)
    task.get(taskId)
    blockers.all(taskId)
    if (set.run(agentId, now, now, now, taskId, 0).changes === 0) return false
    attempt.run(taskId, agentId, now)
    alive.run(now, agentId)
    task.get(taskId)
    needs.all(taskId)
    criteria.all(taskId)
    event.run(now, taskId, agentId, '{"attempt":1}')
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
  const event = eventOf(db, 'complete_task')
  return inTransaction(db, (taskId, now) => {
    agent.get(agentId)
    task.get(taskId)
    if (set.run(now, now, taskId, agentId).changes === 0) return false
    attempt.run(now, taskId)
    alive.run(now, agentId)
    task.get(taskId)
    needs.all(taskId)
    criteria.all(taskId)
    event.run(now, taskId, agentId, '{}')
    return true
  })
}

const eventOf = (db: Connection, operation: string) =>
  db.prepare(
    `INSERT INTO events (at, actor, operation, task_id, agent_id, details) VALUES (?, 'human', '${operation}', ?, ?, ?)`,
  )

const inTransaction =
  (db: Connection, work: (taskId: number, now: string) => boolean) =>
  (taskId: number): boolean => {
    db.exec('BEGIN IMMEDIATE')
    const done = work(taskId, new Date().toISOString())
    db.exec(done ? 'COMMIT' : 'ROLLBACK')
    return done
  }
