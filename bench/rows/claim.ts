import { person } from '../../src/domain/agent/actor.ts'
import { connect } from '../../src/db/engine/sqlite.ts'
import { claimTask } from '../../src/operations/tasks/claim-task.ts'
import { importTasks } from '../../src/operations/tasks/import-tasks.ts'
import { perform } from '../../src/operations/door/perform.ts'
import { registerAgent } from '../../src/operations/agents/register-agent.ts'
import { openBenchCore, scratch } from '../bench-core.ts'
import { median, type Row } from '../row.ts'

const CLAIMS = 400
const ROUNDS = 5

/** The claim operation compared with the same statements prepared by hand, alternating within one run. */
export const claim = async (): Promise<Row> => {
  const core = await openBenchCore(scratch())
  await perform(core, registerAgent, { id: 'bench', personaId: 'implementer' }, person)
  const tasks = await perform(
    core,
    importTasks,
    Array.from({ length: CLAIMS * ROUNDS * 2 }, (_, i) => ({ title: `task ${i}`, personaId: 'implementer' })),
    person,
  )
  const byHand = claimByHand(core.store.path)
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [ours, theirs] = [tasks.slice(2 * round * CLAIMS, (2 * round + 1) * CLAIMS), tasks.slice((2 * round + 1) * CLAIMS, (2 * round + 2) * CLAIMS)]
    const began = performance.now()
    for (const task of ours) await perform(core, claimTask, { taskId: task.id, agentId: 'bench' }, person)
    const middle = performance.now()
    for (const task of theirs) byHand(task.id)
    ratios.push((middle - began) / (performance.now() - middle))
  }
  core.store.close()
  const ratio = median(ratios)
  return { what: 'claim operation / the same statements by hand', measured: `${ratio.toFixed(2)}×`, target: '≤ 3×', kept: ratio <= 3 }
}

/** The statements that `claim_task` sends to SQLite, without anything around them. */
const claimByHand = (path: string): ((taskId: number) => void) => {
  const db = connect(path)
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
  const event = db.prepare("INSERT INTO events (at, actor, operation, task_id, agent_id, details) VALUES (?, 'human', 'claim_task', ?, ?, ?)")
  return (taskId) => {
    const now = new Date().toISOString()
    db.exec('BEGIN IMMEDIATE')
    agent.get('bench')
    task.get(taskId)
    blockers.all(taskId)
    set.run('bench', now, now, now, taskId, 0)
    attempt.run(taskId, 'bench', now)
    alive.run(now, 'bench')
    task.get(taskId)
    needs.all(taskId)
    criteria.all(taskId)
    event.run(now, taskId, 'bench', '{"attempt":1}')
    db.exec('COMMIT')
  }
}
