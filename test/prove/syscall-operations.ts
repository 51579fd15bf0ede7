import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from '../../src/db/sqlite/database.ts'
import { findDamage } from '../../src/db/sqlite/damage.ts'
import Database from 'better-sqlite3'

// The operations of the proof of system calls: command lines of the built program, and a check for the result of each.

export interface Place {
  /** The main checkout; worktrees are next to it. */
  readonly root: string
  readonly folder: string
  readonly database: Connection
}

/** `half` is a state that is neither that before nor that after the command. */
export type Outcome = 'before' | 'after' | `half: ${string}`

export interface TriedOperation {
  readonly name: string
  readonly words: (folder: string) => readonly string[]
  /** Runs without a database, which must then be created. */
  readonly withoutDatabase?: true
  /** A supervisor completes what the command has started. */
  readonly settles?: true
  readonly outcome: (place: Place) => Outcome
}

const value = ({ database }: Place, sql: string): string | number | undefined =>
  database.prepare<[], string | number>(sql).pluck().get()

/** By a statement that returns 0 for before and 1 for after. */
const counted =
  (sql: string) =>
  (place: Place): Outcome => {
    const found = value(place, sql)
    return found === 0 ? 'before' : found === 1 ? 'after' : `half: ${String(found)} rows`
  }

const statusOf =
  (sql: string, states: Readonly<Record<string, Outcome>>) =>
  (place: Place): Outcome => {
    const found = String(value(place, sql) ?? 'none')
    return states[found] ?? `half: ${found}`
  }

const inFile =
  (path: string, text: string, before: string) =>
  ({ root }: Place): Outcome => {
    const content = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : ''
    if (path.endsWith('.json')) JSON.parse(content)
    if (!content.includes(before)) return `half: ${path} has lost what was in it`
    return content.includes(text) ? 'after' : 'before'
  }

const worktree =
  (name: string, built: 'after' | 'before') =>
  (place: Place): Outcome => {
    const status = String(
      value(
        place,
        `SELECT status || ' ' || folder FROM worktrees WHERE name = '${name}' ORDER BY created_at DESC LIMIT 1`,
      ) ?? 'none',
    )
    const stands = existsSync(join(place.folder, name, '.git'))
    if (status === 'active ready' && stands) return built
    if ((status === 'none' || status.startsWith('discarded gone')) && !stands)
      return built === 'after' ? 'before' : 'after'
    return `half: ${status}, ${stands ? 'its folder stands' : 'no folder'}`
  }

export const triedOperations: readonly TriedOperation[] = [
  {
    name: 'task add',
    words: () => ['task', 'add', 'new task', '--persona', 'implementer', '--criterion', 'it works', '--depends', '1'],
    outcome: counted(
      "SELECT count(*) FROM tasks t JOIN task_status s ON s.task_id = t.id JOIN task_criteria c ON c.task_id = t.id JOIN task_dependencies d ON d.task_id = t.id WHERE title = 'new task'",
    ),
  },
  {
    name: 'task cancel',
    words: () => ['task', 'cancel', '1'],
    outcome: statusOf('SELECT status FROM task_status WHERE task_id = 1', { pending: 'before', cancelled: 'after' }),
  },
  {
    name: 'task claim',
    words: () => ['task', 'claim', '2', '--agent', 'ext'],
    outcome: statusOf(
      "SELECT status || (SELECT count(*) FROM task_attempts WHERE task_id = 2) || (SELECT count(*) FROM deadlines WHERE subject = 'task' AND id = '2') FROM task_status WHERE task_id = 2",
      {
        pending00: 'before',
        claimed11: 'after',
      },
    ),
  },
  {
    name: 'task complete',
    words: () => ['task', 'complete', '3', '--agent', 'ext', '--result', '{"done":true}'],
    outcome: statusOf(
      "SELECT s.status || ' ' || coalesce(a.outcome, '-') FROM task_status s JOIN task_attempts a USING (task_id) WHERE task_id = 3",
      {
        'in_progress -': 'before',
        'completed completed': 'after',
      },
    ),
  },
  {
    name: 'agent register',
    words: () => ['agent', 'register', 'other', '--persona', 'implementer'],
    outcome: counted("SELECT count(*) FROM agents WHERE id = 'other'"),
  },
  {
    name: 'session start',
    words: () => ['session', 'start'],
    outcome: counted("SELECT count(*) FROM sessions WHERE status = 'running'"),
  },
  {
    name: 'persona set',
    words: (folder) => ['persona', 'set', 'translator', '--file', join(folder, 'translator.md')],
    outcome: counted("SELECT count(*) FROM personas WHERE id = 'translator' AND definition LIKE 'Translate%'"),
  },
  {
    name: 'memory observation',
    words: () => ['memory', 'observation', 'dev', 'new observation'],
    outcome: inFile('.ai/working_memory_dev.json', 'new observation', 'old observation'),
  },
  {
    name: 'memory keyfact',
    words: () => ['memory', 'keyfact', 'dev', 'new fact', '--key', 'new'],
    outcome: inFile('.ai/working_memory_dev.json', 'new fact', 'old observation'),
  },
  {
    name: 'db backup',
    words: (folder) => ['db', 'backup', join(folder, 'new.db')],
    outcome: ({ folder }) => {
      const path = join(folder, 'new.db')
      if (!existsSync(path)) return 'before'
      const copy = new Database(path)
      const damage = findDamage(copy)
      const tasks = copy.prepare<[], number>('SELECT count(*) FROM tasks').pluck().get()
      copy.close()
      return damage.length === 0 && tasks === 3 ? 'after' : `half: ${damage[0] ?? `${tasks} tasks`}`
    },
  },
  {
    name: 'db restore',
    words: (folder) => ['db', 'restore', join(folder, 'copy.db')],
    outcome: statusOf('SELECT count(*) FROM tasks', { 3: 'before', 1: 'after' }),
  },
  {
    name: 'db migrate',
    words: () => ['db', 'migrate'],
    withoutDatabase: true,
    outcome: counted("SELECT count(*) FROM migration_history WHERE migration_name LIKE '001%' AND success = 1"),
  },
  {
    name: 'worktree create',
    words: () => ['worktree', 'create', 'more', '--branch', 'feature/more'],
    settles: true,
    outcome: worktree('more', 'after'),
  },
  {
    name: 'worktree request',
    words: () => ['worktree', 'request', 'auth'],
    settles: true,
    outcome: statusOf("SELECT status FROM integrations WHERE worktree = 'auth'", { none: 'before', ready: 'after' }),
  },
  {
    name: 'worktree discard',
    words: () => ['worktree', 'discard', 'auth', '--reason', 'not wanted', '--lose-nothing'],
    settles: true,
    outcome: worktree('auth', 'before'),
  },
]
