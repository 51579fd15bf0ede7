import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/db/engine/store.ts'
import { findBrokenInvariants } from '../../src/db/invariants.ts'
import { openStore } from '../../src/db/open/open.ts'
import { copyDatabase } from '../../src/operations/loops/copy-database.ts'
import { newAddress, openAt, ownCluster } from '../support/board-on-server.ts'
import { migrations, temporaryFolder } from '../support/core.ts'
import { filledBoard } from '../support/filled-board.ts'

// The conditions of every board, each broken by a statement that is undone.

const cluster = ownCluster()

interface Break {
  /** The statement that breaks the condition, the same for both engines or one for each. */
  readonly by: string | { readonly SQLite: string; readonly PostgreSQL: string }
  readonly finding: string
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
    by: "INSERT INTO integrations (worktree, target, status, requested_by, requested_at, target_oid, branch_oid, merge_oid, ended_at) VALUES ('shop', 'main', 'integrated', 'human', 'x', 'a', 'b', 'c', 'x')",
    finding: 'The merge of worktree shop reached its target without an approval.',
  },
  {
    by: 'INSERT INTO task_dependencies (task_id, depends_on) SELECT depends_on, task_id FROM task_dependencies WHERE task_id = 5',
    finding: 'Task 5 depends on itself.',
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

test.each(['SQLite', 'PostgreSQL'] as const)('each broken condition is found on %s', async (engine) => {
  const world = await filledBoard()
  const store: Store =
    engine === 'PostgreSQL'
      ? await openAt(newAddress(cluster))
      : await openStore(join(temporaryFolder(), 'coordination.db'), { migrations })
  onTestFinished(() => store.close())
  await copyDatabase(world.store, store, world.now())
  for (const { by, finding } of breaks)
    expect(await findingsAfter(store, typeof by === 'string' ? by : by[engine]), finding).toContain(finding)
  expect((await store.maintenance.check()).findings).toEqual([])
})
