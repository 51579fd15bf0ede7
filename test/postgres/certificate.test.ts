import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openPostgres } from '../../src/db/postgres/open.ts'
import type { StoreAddress } from '../../src/contracts/board-store.ts'
import { addSession, openAt, ownCluster, runSql, sessionsIn } from '../support/board-on-server.ts'
import { refusal } from '../support/core.ts'
import { eventually } from '../support/eventually.ts'
import { generous } from '../stories/pty.ts'
import { addAgain, addInVain, expectNotOpened, openedOn, shopOn, words } from '../support/console-on-server.ts'
import { freePort, postgresScripts, serverUser } from '../support/postgres.ts'

// A server that is reached with TLS, whose certificate is checked.

const port = await freePort()
const cluster = ownCluster({ fsync: false, settings: { listen_addresses: '127.0.0.1', port: String(port) } })

const openssl = (...args: readonly string[]): void =>
  void execFileSync('openssl', args, { cwd: cluster.folder, stdio: ['ignore', 'ignore', 'pipe'] })

const inCluster = (name: string): string => join(cluster.folder, name)

/** An authority, and a certificate of it for a host with this end, which the server uses from now on. */
const certify = async (host: string, validity: readonly string[]): Promise<void> => {
  openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'server.key', '-out', 'server.csr', '-subj', `/CN=${host}`)
  writeFileSync(inCluster('names'), `subjectAltName=DNS:${host}`)
  openssl(
    'x509',
    '-req',
    '-in',
    'server.csr',
    '-CA',
    'ca.crt',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-out',
    'server.crt',
    '-extfile',
    'names',
    ...validity,
  )
  const as = serverUser()
  for (const name of ['server.key', 'server.crt']) {
    chmodSync(inCluster(name), 0o600)
    if (as) chownSync(inCluster(name), as.uid, as.gid)
  }
  const change = (sql: string) => runSql(cluster, sql, port)
  await change(`ALTER SYSTEM SET ssl_cert_file = '${inCluster('server.crt')}'`)
  await change(`ALTER SYSTEM SET ssl_key_file = '${inCluster('server.key')}'`)
  await change('ALTER SYSTEM SET ssl = on')
  cluster.stop('fast')
  cluster.start()
}

const address = (options = ''): StoreAddress => ({
  url: `postgresql://owner@localhost:${port}/postgres?sslmode=verify-full${options}`,
  schema: 'board',
})

const refusedAt = async (at: StoreAddress): Promise<string> => {
  const { code, message } = await refusal(openPostgres(at, { migrations: postgresScripts }))
  expect(code).toBe('store_unreachable')
  expect(message).not.toContain('\n')
  return message
}

const trusted = `&sslrootcert=${inCluster('ca.crt')}`

beforeAll(() => {
  const days = ['-days', '2', '-subj', '/CN=authority']
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.crt', ...days)
  writeFileSync(
    inCluster('data/pg_hba.conf'),
    `hostssl all all 127.0.0.1/32 trust\n${readFileSync(inCluster('data/pg_hba.conf'), 'utf8')}`,
  )
})

test('a certificate is checked: its authority, its name and its end; a server without one is refused', async () => {
  expect(await refusedAt(address(trusted))).toMatch(/does not offer encryption, .* Switch on ssl on the server/)

  await certify('localhost', ['-days', '2'])
  const store = await openAt(address(trusted))
  await addSession(store, 'one')
  expect(await sessionsIn(store)).toEqual(['one'])
  expect(await refusedAt(address())).toMatch(/certificate of PostgreSQL at .* was not accepted .*sslrootcert=FILE/)

  await certify('elsewhere.example.net', ['-days', '2'])
  expect(await refusedAt(address(trusted))).toMatch(
    /certificate of PostgreSQL at .* was not accepted \(Hostname.*\)\. Write a name of the certificate into the store's address/,
  )

  await certify('localhost', ['-days', '-1'])
  expect(await refusedAt(address(trusted))).toMatch(
    /certificate of PostgreSQL at .* was not accepted \(certificate has expired\)\. Renew it/,
  )
})

test(
  'a console whose server has an expired certificate says so, and continues when it is renewed',
  generous,
  async (context) => {
    await certify('localhost', ['-days', '2'])
    const shop = await shopOn(context, `${address(trusted).url}&schema=console`)
    await certify('localhost', ['-days', '-1'])
    await expectNotOpened(shop, /was not accepted \(certificate has expired\)\. Renew it/)
    await certify('localhost', ['-days', '2'])
    const screen = await openedOn(shop)
    await certify('localhost', ['-days', '-1'])
    const sentence = words('was not accepted (certificate has expired). Renew it')
    await screen.until(sentence)
    await addInVain(screen, sentence)
    await certify('localhost', ['-days', '2'])
    await screen.lacks(sentence)
    await addAgain(screen, shop)
  },
)

test(
  'a worker whose server has a certificate that is not accepted says so, waits, and works when it is renewed',
  generous,
  async (context) => {
    await certify('localhost', ['-days', '2'])
    const shop = await shopOn(context, `${address(trusted).url}&schema=worker`)
    const { id } = await shop.answer<{ id: number }>(
      ...['task', 'add', 'Glaze', '--persona', 'implementer', '--command', 'true'],
    )
    const isCompleted = async (): Promise<void> => {
      const { status } = await shop.answer<{ status: string }>('task', 'show', String(id))
      expect(status).toBe('completed')
    }
    await certify('elsewhere.example.net', ['-days', '2'])
    const worker = shop.start(['worker', '--root', shop.root], { columns: 400 })
    await worker.until(/was not accepted \(Hostname.*Write a name of the certificate .* The worker waits for it\./)
    await certify('localhost', ['-days', '2'])
    await worker.until('The board answers again.')
    await eventually(isCompleted)
    // The same while it works.
    await certify('localhost', ['-days', '-1'])
    await worker.until(/was not accepted \(certificate has expired\)\. Renew it/)
    await certify('localhost', ['-days', '2'])
    await eventually(() => expect(worker.written().match(/The board answers again\./g)).toHaveLength(2))
  },
)
