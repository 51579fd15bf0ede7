import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/db/engine/store.ts'
import { findBrokenInvariants } from '../../src/db/invariants.ts'
import { openStore } from '../../src/db/sqlite/open.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import { landedMerges } from '../../src/operations/database/maintenance.ts'
import { copyDatabase } from '../../src/operations/database/copy.ts'
import { newAddress, openAt, ownCluster } from '../support/board-on-server.ts'
import { migrations, temporaryFolder } from '../support/core.ts'
import { filledBoard } from '../support/filled-board.ts'

// The conditions of every board, each broken by a statement that is undone.

const cluster = ownCluster()

interface Break {
  /** The statement that breaks the condition, the same for both engines or one for each. */
  readonly by: string | { readonly SQLite: string; readonly PostgreSQL: string }
  readonly finding: string | RegExp
}

const breaks: readonly Break[] = [
  {
    by: 'UPDATE task_attempts SET attempt = 5 WHERE task_id = 2',
    finding: 'The attempts of task 2 are not numbered 1, 2, 3 and so on.',
  },
  {
    by: 'UPDATE task_status SET attempt = 7 WHERE task_id = 2',
    finding: 'Task 2 has another number of attempts than its row.',
  },
  {
    by: 'UPDATE task_attempts SET ended_at = NULL, outcome = NULL WHERE task_id = 2',
    finding: 'Task 2 has an open attempt, but no agent holds it, or the other way round.',
  },
  {
    by: "INSERT INTO task_attempts (task_id, attempt, agent_id, claimed_at, ended_at, outcome) VALUES (2, 2, 'outsider', 'x', 'x', 'completed')",
    finding: 'Task 2 was completed more than once.',
  },
  {
    by: {
      SQLite: "UPDATE task_counts SET tasks = tasks + 1 WHERE status = 'completed'",
      PostgreSQL: "UPDATE task_count_sums SET tasks = tasks + 1 WHERE status = 'completed'",
    },
    finding: 'The number of tasks that are completed differs from the tasks.',
  },
  {
    by: 'DELETE FROM task_queue WHERE task_id = 8',
    finding: 'Task 8 is missing in the queue, or there without being pending.',
  },
  {
    by: {
      SQLite: "UPDATE usage_totals SET tokens_in = 1 WHERE scope = 'agent'",
      PostgreSQL: "UPDATE usage_sums SET tokens_in = 1 WHERE scope = 'agent'",
    },
    finding: 'The usage of agent implementer-1 differs from its runs.',
  },
  {
    by: {
      SQLite: "UPDATE usage_totals SET tokens_out = 1 WHERE scope = 'task'",
      PostgreSQL: "UPDATE usage_sums SET tokens_out = 1 WHERE scope = 'task'",
    },
    finding: /^The usage of task \d+ differs from its runs\.$/,
  },
  {
    by: {
      SQLite: "DELETE FROM task_counts WHERE status = 'completed'",
      PostgreSQL: "DELETE FROM task_count_sums WHERE status = 'completed'",
    },
    finding: 'The number of tasks that are completed is missing.',
  },
  {
    by: 'INSERT INTO task_dependencies (task_id, depends_on) VALUES (31, 32), (32, 33), (33, 31), (34, 33)',
    finding: 'Task 31 depends on itself.',
  },
  {
    by: "INSERT INTO integrations (worktree, target, status, requested_by, requested_at, target_oid, branch_oid, merge_oid, ended_at) VALUES ('shop', 'main', 'integrated', 'human', 'x', 'a', 'b', 'c', 'x')",
    finding: 'The merge of worktree shop reached its target without an approval.',
  },
  {
    by: 'INSERT INTO task_dependencies (task_id, depends_on) SELECT depends_on, task_id FROM task_dependencies WHERE task_id = 5',
    finding: 'Task 5 depends on itself.',
  },
  {
    by: 'DELETE FROM events WHERE at >= (SELECT max(created_at) FROM tasks)',
    finding: /^Task \d+ changed after the last event: the events since then were removed\.$/,
  },
]

const ways = (engine: Store['engine']) =>
  engine === 'SQLite'
    ? ['PRAGMA defer_foreign_keys = ON', 'PRAGMA ignore_check_constraints = ON']
    : ['SET CONSTRAINTS ALL DEFERRED', 'ALTER TABLE integrations DROP CONSTRAINT integrations_check1']

/** The findings after a statement, whose transaction is undone. */
const findingsAfter = async (store: Store, statement: string): Promise<readonly string[]> => {
  let findings: readonly string[] = []
  const undone = new Error('undone')
  await expect(
    store.write(async (db) => {
      for (const way of ways(store.engine)) await sql.raw(way).execute(db)
      await sql.raw(statement).execute(db)
      findings = await findBrokenInvariants(db)
      throw undone
    }),
  ).rejects.toBe(undone)
  return findings
}

const engines = ['SQLite', 'PostgreSQL'] as const

/** A filled board on an engine. */
const filledOn = async (engine: Store['engine']): Promise<Store> => {
  const world = await filledBoard()
  await world.perform(createWorktree, { name: 'shop', branchName: 'shop' })
  const store: Store =
    engine === 'PostgreSQL'
      ? await openAt(newAddress(cluster))
      : await openStore(join(temporaryFolder(), 'coordination.db'), { migrations })
  onTestFinished(() => store.close())
  await copyDatabase(world.store, store, world.now())
  return store
}

test.each(engines)('each broken condition is found on %s', async (engine) => {
  const store = await filledOn(engine)
  for (const { by, finding } of breaks)
    expect(await findingsAfter(store, typeof by === 'string' ? by : by[engine])).toContainEqual(
      typeof finding === 'string' ? finding : (expect.stringMatching(finding) as string),
    )
  expect((await store.maintenance.check()).findings).toEqual([])
})

test.each(engines)(
  'the merges that git is asked about are those since a person last moved their target on %s',
  async (engine) => {
    const store = await filledOn(engine)
    const add = (statement: string) => store.write((db) => sql.raw(statement).execute(db))
    const merge = (oid: string, target: string, at: string) =>
      add(
        `INSERT INTO integrations (worktree, target, status, requested_by, requested_at, approved_by, approved_at, target_oid, branch_oid, merge_oid, ended_at) VALUES ('shop', '${target}', 'integrated', 'human', 'x', 'human', 'x', 'a', 'b', '${oid}', '${at}')`,
      )
    const move = (operation: string, at: string, details: object) =>
      add(
        `INSERT INTO events (at, actor, operation, details) VALUES ('${at}', 'human', '${operation}', '${JSON.stringify(details)}')`,
      )
    await merge('early', 'main', '2026-01-01')
    await merge('late', 'main', '2026-01-03')
    await merge('other', 'next', '2026-01-01')
    const oids = async () => (await landedMerges({ store })).merges.map(({ mergeOid }) => mergeOid)
    await move('record_target', '2026-01-02', { target: 'main', recorded: 'moved' })
    expect(await oids()).toEqual(['early', 'late', 'other'])
    await move('record_target', '2026-01-02', { target: 'main', recorded: 'person' })
    expect(await oids()).toEqual(['late', 'other'])
    await move('accept_target', '2026-01-04', { target: 'next' })
    expect(await oids()).toEqual(['late'])
  },
)

test.each(engines)(
  'events that are removed from the end together with their seals are missed on %s',
  async (engine) => {
    const store = await filledOn(engine)
    await store.write(async (db) => {
      const { id } = await db
        .selectFrom('events')
        .select(({ fn }) => fn.min('id').as('id'))
        .where('at', '>=', (eb) => eb.selectFrom('tasks').select(({ fn }) => fn.max('created_at').as('at')))
        .executeTakeFirstOrThrow()
      await db.deleteFrom('event_chain').where('event_id', '>=', id).execute()
      await db.deleteFrom('events').where('id', '>=', id).execute()
    })
    expect((await store.maintenance.check()).findings).toContainEqual(
      expect.stringMatching(/the events since then were removed/) as string,
    )
  },
)
