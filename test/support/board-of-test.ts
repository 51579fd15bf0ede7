import { afterAll, expect, type TestContext } from 'vitest'
import { openPostgres } from '../../src/db/postgres/open.ts'
import type { Store } from '../../src/db/engine/store.ts'
import pg from 'pg'
import { clientConfig } from '../../src/db/postgres/address.ts'
import { CLUSTER, postgresScripts, startCluster } from './postgres.ts'
import { openMigrated, testedStore } from './template.ts'

// The store of a test with programs: the database file of its repository, or a schema of its own on the server of this run.

/**
 * Has the boards of this file on a server of their own, whose commits wait for the disk: one that only promises them says
 * nothing about what a kill loses. Does nothing in a run on a database file.
 */
export const onDurableServer = (): void => {
  if (testedStore !== 'postgresql') return
  const shared = process.env[CLUSTER]
  const own = startCluster({ fsync: true, settings: { max_connections: '300' } })
  process.env[CLUSTER] = own.url()
  afterAll(() => {
    own.remove()
    process.env[CLUSTER] = shared
  })
}

/** Expects that the commits of a server wait for the disk. */
export const expectDurable = async (url: string): Promise<void> => {
  const client = new pg.Client(clientConfig({ url, schema: 'public' }))
  await client.connect()
  try {
    const names = ['fsync', 'full_page_writes', 'synchronous_commit']
    const { rows } = await client.query('SELECT name, setting FROM pg_settings WHERE name = ANY($1)', [names])
    expect(rows).toEqual(expect.arrayContaining(names.map((name) => ({ name, setting: 'on' }))))
  } finally {
    await client.end()
  }
}

/** As `expectDurable`, for the board of a test; a database file is always written through. */
export const expectDurableBoard = async (root: string): Promise<void> => {
  const address = addresses.get(root)
  if (address) await expectDurable(address.url)
}

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
