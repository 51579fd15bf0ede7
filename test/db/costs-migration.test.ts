import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { migrations } from '../support/core.ts'

const script = (name: string): string => readFileSync(join(migrations, name), 'utf8')

/** A database from before costs were summed up, with two runs of one task. */
const before = () => {
  const db = new Database(':memory:')
  for (const name of ['001_InitialSchema.sql', '002_AgentRuns.sql']) db.exec(script(name))
  db.exec(`
    INSERT INTO sessions (id, status, started_at, ended_at) VALUES ('one', 'completed', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z');
    INSERT INTO sessions (id, status, started_at) VALUES ('two', 'running', '2026-01-02T00:00:00.000Z');
    INSERT INTO personas (id, name, role, definition, source, created_at, updated_at) VALUES ('implementer', 'i', 'worker', '', 'built-in', '', '');
    INSERT INTO agents (id, persona_id) VALUES ('a', 'implementer');
    INSERT INTO tasks (id, title, description, persona_id, priority, created_at) VALUES (1, 't', '', 'implementer', 0, '');
    INSERT INTO agent_runs (agent_id, run, task_id, kind, started_at, tokens_in, cost_usd) VALUES
      ('a', 1, 1, 'claude', '2026-01-01T12:00:00.000Z', 10, 0.5), ('a', 2, 1, 'claude', '2026-01-02T00:00:00.000Z', 5, NULL);`)
  return db
}

const totals = (db: Database.Database) =>
  db.prepare('SELECT scope, subject, tokens_in, cost_usd FROM usage_totals ORDER BY scope, subject').raw().all()

describe('the migration of costs', () => {
  it('counts earlier usage, each run in the session in which it started', () => {
    const db = before()
    db.exec(script('012_Costs.sql'))
    expect(totals(db)).toEqual([
      ['agent', 'a', 15, 0.5],
      ['session', 'one', 10, 0.5],
      ['session', 'two', 5, null],
      ['task', '1', 15, 0.5],
    ])
  })

  it('can run again, and keeps later counts', () => {
    const db = before()
    db.exec(script('012_Costs.sql'))
    db.exec(
      "INSERT INTO agent_runs (agent_id, run, task_id, kind, started_at) VALUES ('a', 3, 1, 'claude', '2026-01-03T00:00:00.000Z')",
    )
    db.exec(
      'UPDATE agent_runs SET tokens_in = 7, cost_usd = 0.25 WHERE run = 3; INSERT INTO task_budgets (task_id, cost_usd, step_cost_usd) VALUES (1, 2, 2)',
    )
    const counted = totals(db)
    expect(counted).toContainEqual(['session', 'two', 12, 0.25])
    db.exec(script('012_Costs.sql'))
    expect(totals(db)).toEqual(counted)
    expect(db.prepare('SELECT cost_usd FROM task_budgets').pluck().all()).toEqual([2])
  })

  it('counts a run that is inserted with its numbers', () => {
    const db = before()
    db.exec(script('012_Costs.sql'))
    db.exec(
      "INSERT INTO agent_runs (agent_id, run, kind, started_at, tokens_in, tokens_out, cost_usd) VALUES ('a', 3, 'claude', '2026-01-03T00:00:00.000Z', 3, 1, 1)",
    )
    expect(totals(db)).toContainEqual(['agent', 'a', 18, 1.5])
  })
})

describe('the migration of tokens without a price', () => {
  const unpriced = (db: Database.Database) =>
    db.prepare('SELECT scope, subject, tokens FROM unpriced_totals ORDER BY scope, subject').raw().all()

  it('counts earlier tokens, and keeps them when it runs again', () => {
    const db = before()
    db.exec(script('012_Costs.sql'))
    db.exec(script('014_Prices.sql'))
    expect(unpriced(db)).toEqual([
      ['agent', 'a', 5],
      ['session', 'two', 5],
      ['task', '1', 5],
    ])
    db.exec(
      "INSERT INTO agent_runs (agent_id, run, task_id, kind, started_at, tokens_in, tokens_out) VALUES ('a', 3, 1, 'codex', '2026-01-03T00:00:00.000Z', 3, 1)",
    )
    db.exec('UPDATE agent_runs SET tokens_out = 2 WHERE run = 3')
    const counted = unpriced(db)
    expect(counted).toContainEqual(['session', 'two', 10])
    db.exec(script('014_Prices.sql'))
    expect(unpriced(db)).toEqual(counted)
    db.exec('UPDATE agent_runs SET cost_usd = 0.5 WHERE run = 3')
    expect(unpriced(db)).toContainEqual(['task', '1', 5])
  })
})
