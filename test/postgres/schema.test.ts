import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copiedTables } from '../../src/db/copy/tables.ts'
import { openStore } from '../../src/db/open/open.ts'
import { newAddress, openAt, ownCluster, runSql } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { migrations } from '../support/template.ts'

// The scripts for both engines make the same board, and a copy leaves none of its tables out.

const cluster = ownCluster()

/** Tables that belong to a store and not to the board, and sums that each engine keeps in its own way. */
const notCopied = ['leases', 'migration_audit', 'migration_history', 'task_counts', 'unpriced_totals', 'usage_totals']

const onSqlite = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
  const store = await openStore(join(temporaryFolder(), 'board.db'), { migrations })
  onTestFinished(() => store.close())
  const tables = store.connection
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%\\_words%' ESCAPE '\\'",
    )
    .pluck()
    .all()
  const columns = store.connection.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck()
  return new Map(tables.map((table) => [table, columns.all(table).sort()]))
}

test('every table of the board has the same columns on both engines', async () => {
  const address = newAddress(cluster)
  await openAt(address)
  const rows = await runSql<{ table_name: string; column_name: string }>(
    cluster,
    `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = '${address.schema}'`,
  )
  const onServer = (table: string): readonly string[] =>
    rows
      .filter(({ table_name }) => table_name === table)
      .map(({ column_name }) => column_name)
      .sort()
  for (const [table, columns] of await onSqlite()) expect([table, ...onServer(table)]).toEqual([table, ...columns])
})

test('every table of the board is copied', async () => {
  const tables = [...(await onSqlite()).keys()]
  const copied = copiedTables.map(({ name }) => name)
  expect([...copied, ...notCopied].sort()).toEqual(tables.sort())
})
