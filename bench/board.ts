import { closeSync, mkdirSync, openSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../src/db/sqlite.ts'
import { openBenchCore } from './bench-core.ts'

export interface BoardSize {
  readonly tasks: number
  readonly agents: number
  readonly logs: number
}

/** What DESIGN section 8 measures on. */
export const fullSize: BoardSize = { tasks: 10_000, agents: 50, logs: 1_000_000 }

/** Fills a new database in `folder` with tasks in every state, idle agents and logs; written by plain statements, since speed counts here. */
export const makeBoard = async (folder: string, size: BoardSize): Promise<void> => {
  const core = await openBenchCore(folder)
  core.store.close()
  const db = connect(join(folder, 'coordination.db'))
  const now = new Date().toISOString()
  const states = ['completed', 'completed', 'completed', 'pending', 'pending', 'failed', 'cancelled', 'pending'] as const
  db.transaction(() => {
    const agent = db.prepare("INSERT INTO agents (id, persona_id, kind, status, registered_at, last_heartbeat) VALUES (?, 'implementer', 'external', 'idle', ?, ?)")
    for (let n = 1; n <= size.agents; n++) agent.run(`bench-${n}`, now, now)
    const task = db.prepare("INSERT INTO tasks (id, title, description, persona_id, priority, created_by, created_at) VALUES (?, ?, '', 'implementer', ?, 'human', ?)")
    const status = db.prepare('INSERT INTO task_status (task_id, status, completed_at, not_before, changed_at) VALUES (?, ?, ?, NULL, ?)')
    const needs = db.prepare('INSERT INTO task_dependencies (task_id, depends_on) VALUES (?, ?)')
    for (let id = 1; id <= size.tasks; id++) {
      const state = states[id % states.length]!
      task.run(id, `Task number ${id} of the generated board`, id % 100, now)
      status.run(id, state, state === 'pending' ? null : now, now)
      if (id > 10 && id % 3 === 0) needs.run(id, id - 7)
    }
    const log = db.prepare("INSERT INTO task_logs (task_id, agent_id, level, message, logged_at) VALUES (?, ?, 'info', ?, ?)")
    for (let n = 0; n < size.logs; n++) log.run(1 + (n % size.tasks), `bench-${1 + (n % size.agents)}`, `note ${n} of the generated board`, now)
  })()
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
