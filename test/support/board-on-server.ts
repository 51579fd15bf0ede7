import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, onTestFinished } from 'vitest'
import type { StoreAddress } from '../../src/contracts/board-store.ts'
import { openPostgres, type OpenPostgresOptions, type PostgresStore } from '../../src/db/postgres/open.ts'
import type { Core } from '../../src/operations/perform/core.ts'
import { settingsWith, temporaryFolder } from './core.ts'
import { type Cluster, type ClusterOptions, postgresScripts, startCluster } from './postgres.ts'

// Boards on a cluster that belongs to one test file, which may stop it and change its settings.

/** A cluster for the tests of a file, removed after them. */
export const ownCluster = (options: ClusterOptions = { fsync: false }): Cluster => {
  const cluster = startCluster(options)
  afterAll(() => cluster.remove())
  return cluster
}

let made = 0

/** An address of a schema that no other test uses. */
export const newAddress = (cluster: Cluster, { user = 'owner', database = 'postgres' } = {}): StoreAddress => ({
  url: cluster.url(database, user),
  schema: `board_${++made}`,
})

/** The board at an address, closed after the test. */
export const openAt = async (
  address: StoreAddress,
  options: Partial<OpenPostgresOptions> = {},
): Promise<PostgresStore> => {
  const store = await openPostgres(address, { migrations: postgresScripts, ...options })
  onTestFinished(() => store.close())
  return store
}

/** The core of operations on a board on a server, without any effects. */
export const coreOfServer = (store: PostgresStore, root = temporaryFolder()): Core => ({
  store,
  root,
  clock: () => '2026-01-30T14:22:33.000Z',
  settings: settingsWith({}),
  kinds: ['claude'],
  allowRules: () => [],
  newToken: () => 'token',
  memoryUser: 'default_user',
  launchToken: (agentId, run) => `launch-${agentId}-${run}`,
})

/** Runs SQL as the owner of the cluster, as another program would; returns the rows of the last statement. */
export const runSql = async <Row>(cluster: Cluster, sql: string, port = 5432): Promise<readonly Row[]> => {
  const client = new pg.Client({ host: cluster.folder, port, user: 'owner', database: 'postgres' })
  // A server that ends fails the statement too.
  client.on('error', () => {})
  await client.connect()
  try {
    const result: unknown = await client.query(sql)
    return ((Array.isArray(result) ? result.at(-1) : result) as { rows: Row[] }).rows
  } finally {
    await client.end()
  }
}

/** A role that must give a password, whatever others must do. */
export const withPassword = async (cluster: Cluster, role: string, password: string): Promise<void> => {
  await runSql(
    cluster,
    `CREATE ROLE ${role} LOGIN PASSWORD '${password}'; GRANT CREATE ON DATABASE postgres TO ${role}`,
  )
  const rules = join(cluster.folder, 'data/pg_hba.conf')
  const before = readFileSync(rules, 'utf8')
  writeFileSync(rules, `local all ${role} scram-sha-256\n${before}`)
  await runSql(cluster, 'SELECT pg_reload_conf()')
  await expect
    .poll(() => runSql(cluster, `SELECT 1 AS n FROM pg_hba_file_rules WHERE '${role}' = ANY(user_name)`))
    .toHaveLength(1)
}

/** Adds a completed session, a row without relations. */
export const addSession = (store: PostgresStore, id: string): Promise<unknown> =>
  store.write((db) =>
    db.insertInto('sessions').values({ id, status: 'completed', started_at: 'x', ended_at: 'x' }).execute(),
  )

export const sessionsIn = async (store: PostgresStore): Promise<readonly string[]> =>
  (await store.read.selectFrom('sessions').select('id').orderBy('id').execute()).map(({ id }) => id)

/** Where a proxy cuts the connection that commits, once: before the server gets the message, or before its answer is passed on. */
export type CutAt = 'before' | 'after'

export interface Proxy {
  readonly address: StoreAddress
  /** Cuts the next commit, or the next one that is sent together with these words. */
  readonly cutCommit: (at: CutAt, words?: string) => void
  /** True once it was cut. */
  readonly wasCut: () => boolean
  /** Drops all bytes, as a network does that is cut off. */
  readonly drop: (drops: boolean) => void
}

/** Passes the bytes between a program and the cluster. */
export const proxyTo = async (cluster: Cluster, address: StoreAddress): Promise<Proxy> => {
  const folder = temporaryFolder()
  const commit = Buffer.from('COMMIT\0')
  let cut: { readonly at: CutAt; readonly words: string } | undefined
  let drops = false
  const open = new Set<Socket>()
  const proxy = createServer((near) => {
    const far = connect(join(cluster.folder, '.s.PGSQL.5432'))
    const end = (): void => void (near.destroy(), far.destroy())
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', end).on('close', end)
    }
    let deaf = false
    near.on('data', (bytes) => {
      const meant = cut !== undefined && bytes.includes(commit) && bytes.includes(cut.words) ? cut.at : undefined
      if (meant !== undefined) cut = undefined
      if (drops) return
      if (meant === 'before') return end()
      if (meant === 'after') deaf = true
      far.write(bytes)
    })
    far.on('data', (bytes) => (deaf ? end() : drops ? undefined : void near.write(bytes)))
  })
  const path = join(folder, '.s.PGSQL.5432')
  if (existsSync(path)) rmSync(path)
  await new Promise<void>((resolve) => proxy.listen(path, resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
  })
  return {
    address: { ...address, url: address.url.replace(cluster.folder, folder) },
    cutCommit: (at, words = '') => void (cut = { at, words }),
    wasCut: () => cut === undefined,
    drop: (all) => void (drops = all),
  }
}
