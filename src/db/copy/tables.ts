import { type Kysely, sql } from 'kysely'
import type { Db } from '../engine/db.ts'
import { conversationWords } from '../conversations.ts'
import { executionWords } from '../executions.ts'

// The tables of a board as a copy sees them: any column, whatever engine stores it.

export type Row = Readonly<Record<string, unknown>>
export type AnyDb = Kysely<Record<string, Record<string, unknown>>>

/** The same rows without their types: a copy treats all tables alike. */
export const untyped = (db: Db): AnyDb => db as unknown as AnyDb

/** A table that is copied row by row, with the columns that give its rows an order. */
export interface CopiedTable {
  readonly name: string
  readonly key: readonly string[]
  /** A column whose rows count only above 0. */
  readonly above0?: string
}

/**
 * Every table of both engines whose rows are the board's own, parents first where possible. Leases are left out, because
 * a copy is made while no process has a role, and so are the migrations, which each store has of its own.
 */
export const copiedTables: readonly CopiedTable[] = [
  { name: 'personas', key: ['id'] },
  { name: 'sessions', key: ['id'] },
  { name: 'hosts', key: ['id'] },
  { name: 'host_joins', key: ['code_hash'] },
  { name: 'fleet', key: ['id'] },
  { name: 'run_tails', key: ['agent_id'] },
  { name: 'host_calls', key: ['id'] },
  { name: 'sights', key: ['host_id', 'subject'] },
  { name: 'host_returns', key: ['host_id', 'worktree', 'returned_at'] },
  { name: 'agents', key: ['id'] },
  { name: 'host_guards', key: ['host_id'] },
  { name: 'worktrees', key: ['name'] },
  { name: 'tasks', key: ['id'] },
  { name: 'task_status', key: ['task_id'] },
  { name: 'task_dependencies', key: ['task_id', 'depends_on'] },
  { name: 'task_criteria', key: ['task_id', 'position'] },
  { name: 'task_attempts', key: ['task_id', 'attempt'] },
  { name: 'task_logs', key: ['id'] },
  { name: 'task_commits', key: ['task_id', 'attempt', 'oid'] },
  { name: 'task_assignments', key: ['task_id'] },
  { name: 'task_budgets', key: ['task_id'] },
  { name: 'missing_artifacts', key: ['task_id', 'path'] },
  { name: 'progress_turns', key: ['task_id', 'attempt', 'hash'] },
  { name: 'agent_runs', key: ['agent_id', 'run'] },
  { name: 'run_contexts', key: ['agent_id', 'run'] },
  { name: 'run_pauses', key: ['agent_id', 'run'] },
  { name: 'usage_steps', key: ['agent_id', 'run', 'at'] },
  { name: 'kind_sleeps', key: ['kind', 'account'] },
  { name: 'session_budgets', key: ['session_id'] },
  { name: 'agent_messages', key: ['id'] },
  { name: 'run_journals', key: ['agent_id', 'run'] },
  { name: 'races', key: ['id'] },
  { name: 'racers', key: ['race_id', 'position'] },
  { name: 'forks', key: ['task_id'] },
  { name: 'requests', key: ['id'] },
  { name: 'wanted_rules', key: ['request_id'] },
  { name: 'call_results', key: ['actor', 'request_id'] },
  { name: 'integrations', key: ['id'] },
  { name: 'verifications', key: ['id'] },
  { name: 'worktree_reverts', key: ['worktree'] },
  { name: 'worktree_ports', key: ['host_id', 'port'] },
  { name: 'worktree_folders', key: ['worktree'] },
  { name: 'archives', key: ['ref'] },
  { name: 'radar_conflicts', key: ['worktree', 'with_target', 'other'] },
  { name: 'repository_guard', key: ['id'] },
  { name: 'watched_targets', key: ['target'] },
  { name: 'watched_checkout', key: ['id'] },
  { name: 'hooks', key: ['key'] },
  { name: 'hook_deliveries', key: ['id'] },
  { name: 'deadlines', key: ['subject', 'id'] },
  { name: 'conversations', key: ['id'] },
  { name: 'conversation_texts', key: ['conversation_id'] },
  { name: 'executions', key: ['id'] },
  { name: 'execution_texts', key: ['execution_id'] },
  { name: 'events', key: ['id'] },
  { name: 'event_chain', key: ['event_id'] },
  // Written by triggers of other tables as well, so they come last, into empty tables.
  { name: 'run_sessions', key: ['agent_id', 'run'] },
  { name: 'task_queue', key: ['priority', 'task_id'] },
]

/** Rows that are read and written at once; SQLite takes no more than 32,766 values in a statement. */
const PAGE = 500

/** All rows of a table, in the order of its key, a page at a time. */
export const pagesOf = async function* (db: AnyDb, { name, key, above0 }: CopiedTable): AsyncGenerator<readonly Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  for (let last: readonly unknown[] | undefined; ;) {
    let query = db.selectFrom(name).selectAll().limit(PAGE)
    for (const column of key) query = query.orderBy(column)
    if (above0 !== undefined) query = query.where(above0, '>', 0)
    if (last) query = query.where(sql<boolean>`(${columns}) > (${sql.join(last.map((value) => sql`${value}`))})`)
    const rows = (await query.execute()) as readonly Row[]
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
    last = key.map((column) => rows.at(-1)![column])
  }
}

/** The rows of the full-text table for texts of the dual memory; undefined for a table without one. */
export const wordsOfTexts = (
  name: string,
  rows: readonly Row[],
): { table: string; rows: readonly Row[] } | undefined => {
  if (name === 'conversation_texts')
    return {
      table: 'conversation_words',
      rows: rows.map((row) => conversationWords(row['conversation_id'] as number, row as never)),
    }
  if (name === 'execution_texts')
    return {
      table: 'execution_words',
      rows: rows.map((row) => executionWords(row['execution_id'] as number, row as never)),
    }
  return undefined
}
