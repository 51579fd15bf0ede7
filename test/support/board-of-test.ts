import type { TestContext } from 'vitest'
import { openPostgres } from '../../src/db/postgres/open.ts'
import type { Store } from '../../src/db/engine/store.ts'
import pg from 'pg'
import { clientConfig } from '../../src/db/postgres/address.ts'
import { CLUSTER, postgresScripts } from './postgres.ts'
import { openMigrated, testedStore } from './template.ts'

// The store of a test with programs: the database file of its repository, or a schema of its own on the server of this run.

const addresses = new Map<string, { readonly url: string; readonly schema: string }>()

let made = 0

/** The variables with which the programs of a test find its board; on a server its schema ends with the test. */
export const boardOf = (test: Pick<TestContext, 'onTestFinished'>, root: string): Readonly<Record<string, string>> => {
  if (testedStore !== 'postgresql') return {}
  const address = { url: process.env[CLUSTER]!, schema: `programs_${process.pid}_${++made}` }
  addresses.set(root, address)
  test.onTestFinished(async () => {
    const client = new pg.Client(clientConfig(address))
    await client.connect()
    await client.query(`DROP SCHEMA IF EXISTS ${address.schema} CASCADE`)
    await client.end()
  })
  return { AISWARM_STORE: `${address.url}&schema=${address.schema}` }
}

/** The board of a test, opened as its programs do. */
export const openBoardOf = (root: string, path: string): Promise<Store> => {
  const address = addresses.get(root)
  return address === undefined ? openMigrated(path) : openPostgres(address, { migrations: postgresScripts })
}
