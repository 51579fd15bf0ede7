import { expect, test, vi } from 'vitest'
import { selectAgents, selectSelfRegisteredPersonas } from '../../../src/db/agents.ts'
import { selectHosts } from '../../../src/db/hosts.ts'
import { selectRunningSession } from '../../../src/db/sessions.ts'
import { globbed } from '../../../src/db/engine/expressions.ts'
import type { Db } from '../../../src/db/engine/db.ts'
import { openCore } from '../../support/core.ts'
import { connectionOf, onlyOnSqlite } from '../../support/store.ts'

onlyOnSqlite()

test('neither a key nor a limit makes SQLite plan a statement again; the beginning of a pattern does', async () => {
  const { core } = await openCore()
  const compiled = core.store.read
    .selectFrom('tasks')
    .select('id')
    .where('id', '=', 7)
    .where((eb) => globbed(eb.ref('persona_id'), 'impl*') as never)
    .limit(3)
    .compile()
  expect(compiled.sql).toBe('select "id" from "tasks" where "id" = +? and "persona_id" GLOB ? limit 3')
})

test.each<[string, string, (db: Db) => Promise<unknown>]>([
  ['live agents', 'idx_agents_live', (db) => selectAgents(db, { live: true })],
  ['personas of self-registered agents', 'idx_agents_live', (db) => selectSelfRegisteredPersonas(db)],
  ['the running session', 'idx_sessions_running', (db) => selectRunningSession(db)],
  ['hosts', 'idx_hosts_name', (db) => selectHosts(db)],
])('%s are read by the partial index %s, however many ended ones there are', async (_, index, read) => {
  const { core } = await openCore()
  const connection = connectionOf(core.store)
  const prepare = vi.spyOn(Object.getPrototypeOf(connection) as typeof connection, 'prepare')
  await read(core.store.read)
  const sql = prepare.mock.calls.at(-1)![0]
  prepare.mockRestore()
  const plan = connection
    .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
    .all(...Array.from(sql.matchAll(/\?/g), () => null))
  expect(plan.map(({ detail }) => detail).join('\n')).toContain(index)
})
