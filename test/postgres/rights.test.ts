import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { person, system } from '../../src/domain/agent/actor.ts'
import { syncPersonas } from '../../src/operations/agents/persona-files.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { migratePostgres } from '../../src/db/postgres/open.ts'
import { importBoard } from '../../src/operations/sessions/import.ts'
import { createTask } from '../../src/operations/tasks/create.ts'
import { coreOfServer, newAddress, openAt, ownCluster, runSql, withPassword } from '../support/board-on-server.ts'
import { checkoutOf, passwordIs } from '../support/console-on-server.ts'
import { refusal } from '../support/core.ts'
import { postgresScripts } from '../support/postgres.ts'

// Which rights a person with a role of their own needs, and what is said without them.

const cluster = ownCluster()

/** The statements that the document gives to the role that made the board. */
const documented = (schema: string, role: string): readonly string[] => {
  const text = readFileSync(resolve(import.meta.dirname, '../../docs/fleet.md'), 'utf8')
  const statements = [...text.matchAll(/`(GRANT [^`]* TO R)`/g)].map((match) => match[1]!)
  return statements.map((statement) => statement.replace(/\bR$/, role).replace(/\bSCHEMA S\b/, `SCHEMA ${schema}`))
}

test('the rights that the document names suffice to begin a session of a board and to add tasks', async () => {
  const address = newAddress(cluster)
  await perform(coreOfServer(await openAt(address)), syncPersonas, { files: [] }, system())
  await runSql(cluster, 'CREATE ROLE reader LOGIN')
  const statements = documented(address.schema, 'reader')
  expect(statements).toHaveLength(3)
  await runSql(cluster, statements.join('; '))
  const core = coreOfServer(await openAt({ ...address, url: cluster.url('postgres', 'reader') }))
  const task = { agentId: 'backend', cli: null, tier: 1, dependencies: [], description: '', acceptanceCriteria: [] }
  const tasks = [
    { ...task, number: 5, title: 'Bake' },
    { ...task, number: 7, title: 'Brew' },
  ]
  const imported = await perform(core, importBoard, { sessionId: 'session-20260130-142233', tasks }, person)
  expect(imported.tasks.map(({ title }) => title)).toEqual(['Bake', 'Brew'])
  const { id } = await perform(core, createTask, { title: 'Glaze', personaId: 'implementer' }, person)
  expect(id).toBeGreaterThan(imported.tasks.at(-1)!.id)
})

test('doctor names a wrong password, a missing right and a missing database, beside its other lines', async (context) => {
  const address = newAddress(cluster)
  await openAt(address)
  await withPassword(cluster, 'ada', 'right')
  await runSql(cluster, 'CREATE ROLE nobody LOGIN')
  for (const [url, sentence] of [
    [cluster.url('postgres', 'ada'), 'refused the login (password authentication failed for user "ada")'],
    [cluster.url('postgres', 'nobody'), 'does not allow it (permission denied'],
    [cluster.url('nowhere'), 'database "nowhere" does not exist'],
  ] as const) {
    const shop = checkoutOf(context, url, address.schema)
    passwordIs(shop, 'wrong')
    const { out, err } = await shop.run('doctor')
    expect(out, err).toMatch(/^ok +node /m)
    expect(out).toMatch(/^missing +database /m)
    expect(out.replaceAll(/\s+/g, ' ')).toContain(sentence)
  }
})

test('doctor says of an empty schema that it has no board, or which right is missing, and makes none there', async (context) => {
  const { schema } = newAddress(cluster)
  await runSql(cluster, `CREATE SCHEMA ${schema}; CREATE ROLE tenant LOGIN; GRANT USAGE ON SCHEMA ${schema} TO tenant`)
  const said = async (user: string): Promise<string> => {
    const { out } = await checkoutOf(context, cluster.url('postgres', user), schema).run('doctor')
    expect(out).toMatch(/^missing +database /m)
    return out.replaceAll(/\s+/g, ' ')
  }
  expect(await said('owner')).toContain(`(${schema}) has no board yet; 'aiswarm init' creates it`)
  expect(await said('tenant')).toContain(`GRANT USAGE, CREATE ON SCHEMA "${schema}" TO "tenant"`)
  expect(await runSql(cluster, `SELECT 1 FROM pg_tables WHERE schemaname = '${schema}'`)).toEqual([])
})

test('a script that is applied as it is now is not said to be run again', async () => {
  const address = newAddress(cluster)
  const [first] = (await (await openAt(address)).maintenance.status()).migrations
  const again = migratePostgres(address, { migrations: postgresScripts, again: [first!.name] })
  const { code, message } = await refusal(again)
  expect([code, message]).toEqual(['invalid_state', expect.stringContaining('is not run again') as string])
})
