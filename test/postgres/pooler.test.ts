import { execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { addSession, newAddress, openAt, ownCluster, sessionsIn } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { initialised } from '../support/template.ts'
import { aiswarm } from '../stories/program.ts'
import { generous, openShop } from '../stories/pty.ts'
import { addAgain, openedOn, shopOn, words } from '../support/console-on-server.ts'
import { needs } from '../support/needs.ts'
import { asServer, freePort, programOnPath, serverUser } from '../support/postgres.ts'

// PgBouncer in transaction mode, as many managed servers put it before PostgreSQL.

const cluster = ownCluster()

/** Starts the pooler in front of the cluster; returns the address of a database through it. */
const startPooler = async (context: TestContext, connections = 4): Promise<string> =>
  (await poolerOf(context, connections)).url

interface Pooler {
  readonly url: string
  /** Starts it; it runs already at first. */
  readonly start: () => Promise<void>
  readonly kill: () => void
}

const poolerOf = async (context: TestContext, connections: number): Promise<Pooler> => {
  const program = programOnPath('pgbouncer', ['/usr/sbin'])
  needs(context, program !== undefined, 'PgBouncer is not installed (apt-get install pgbouncer)')
  const port = await freePort()
  const as = serverUser()
  const file = (name: string, lines: readonly string[]): string => {
    const path = join(cluster.folder, name)
    writeFileSync(path, `${lines.join('\n')}\n`)
    if (as) chownSync(path, as.uid, as.gid)
    return path
  }
  const users = file('users.txt', ['"owner" ""'])
  const settings = file('pgbouncer.ini', [
    '[databases]',
    `* = host=${cluster.folder} port=5432`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    `default_pool_size = ${connections}`,
  ])
  const [command, ...args] = asServer([program!, settings])
  let kill = (): void => {}
  const start = async (): Promise<void> => {
    const child = spawn(command!, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    kill = () => void child.kill('SIGKILL')
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece))
    await expect.poll(() => said).toContain('process up')
  }
  onTestFinished(() => kill())
  await start()
  return { url: `postgresql://owner@127.0.0.1:${port}/postgres`, start, kill: () => kill() }
}

test('two boards that share the connections of a pooler each read their own rows', async (context) => {
  const url = await startPooler(context, 1)
  const stores = []
  for (const name of ['one', 'other']) {
    const store = await openAt({ url, schema: newAddress(cluster).schema })
    await addSession(store, name)
    stores.push({ name, store })
  }
  for (let time = 0; time < 3; time++)
    for (const { name, store } of stores) {
      expect(await sessionsIn(store)).toEqual([name])
      // As the operations read.
      expect(await store.reading!((db) => db.selectFrom('sessions').select('id').execute())).toEqual([{ id: name }])
    }
})

test('a board that is reached through a pooler in transaction mode is written and read, notices changes, and says that it polls', async (context) => {
  const url = await startPooler(context)
  const { schema } = newAddress(cluster)
  const [one, other] = [await openAt({ url, schema }), await openAt({ url, schema })]
  await Promise.all(Array.from({ length: 40 }, (_, at) => addSession(at % 2 === 0 ? one : other, `session-${10 + at}`)))
  expect(await sessionsIn(one)).toHaveLength(40)
  // A pooler drops the notifications, so that each process asks instead.
  await expect.poll(() => other.hears()).toBe(false)
  const waits: number[] = []
  for (const name of ['late', 'later', 'last']) {
    const before = other.version()
    await addSession(one, name)
    const written = performance.now()
    await expect.poll(() => other.version(), { interval: 20 }).toBeGreaterThan(before)
    waits.push(performance.now() - written)
  }
  // It asks once a second; a busy machine may be late once.
  expect(Math.min(...waits)).toBeLessThan(1500)
  expect(Math.max(...waits)).toBeLessThan(5000)
  expect(await sessionsIn(other)).toContain('late')
  expect(await one.maintenance.check()).toEqual({ damaged: false, findings: [] })
  // Beside it, a process on the server itself reads the same rows.
  expect(await sessionsIn(await openAt({ url: cluster.url(), schema }))).toEqual(await sessionsIn(one))
})

test('a connection of a pooler keeps no setting of a board for other programs', async (context) => {
  const url = await startPooler(context, 1)
  const { schema } = newAddress(cluster)
  const store = await openAt({ url, schema })
  await addSession(store, 'one')
  await expect.poll(() => store.hears()).toBe(false)
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  onTestFinished(() => other.end())
  const answer = async (sql: string): Promise<unknown> => (await other.query(sql)).rows
  expect(await answer('SHOW search_path')).toEqual([{ search_path: '"$user", public' }])
  expect(await answer('SHOW idle_in_transaction_session_timeout')).toEqual([
    { idle_in_transaction_session_timeout: '0' },
  ])
  expect(await answer('SELECT pg_listening_channels() AS channel')).toEqual([])
  expect(await sessionsIn(store)).toEqual(['one'])
})

// The question whether the server works on it waits in the pooler, where one connection is all that there is.
test.for([1, 4])(
  'a statement that takes long is left alone through a pooler with %i connections',
  async (connections, context) => {
    const url = await startPooler(context, connections)
    const store = await openAt({ url, schema: newAddress(cluster).schema })
    let runs = 0
    await store.write((db) => {
      runs++
      return sql`SELECT pg_sleep(20)`.execute(db)
    })
    expect(runs).toBe(1)
  },
)

test('doctor says that a pooler drops the notifications', async (context) => {
  const url = await startPooler(context)
  const root = join(temporaryFolder(), 'shop')
  mkdirSync(root)
  initialised(root)
  execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message', 'Begin'], { cwd: root })
  expect(await aiswarm(root, 'init', '--yes', '--store', `${url}?schema=by_pooler`)).toMatchObject({ code: 0 })
  expect((await aiswarm(root, 'doctor')).out).toMatch(
    /\(by_pooler\); its notifications do not arrive \(a pooler drops them\), so changes are looked for once a second/,
  )
})

test('the header of a console says that changes are polled through a pooler, and the changes arrive', async (context) => {
  const url = `${await startPooler(context)}?schema=seen_by_pooler`
  const shop = openShop(context, { ownStore: true })
  expect(await shop.run('init', '--yes', '--store', url)).toMatchObject({ code: 0 })
  const screen = await shop.console()
  await screen.until(/PostgreSQL ⚠ polled/)
  await shop.answer('task', 'add', 'Bake', '--persona', 'implementer')
  await screen.until('Bake')
  screen.resize(60, 15)
  await screen.until('Bake')
})

test('a console whose pooler goes away says so, and continues when it is back', generous, async (context) => {
  const pooler = await poolerOf(context, 4)
  const shop = await shopOn(context, `${pooler.url}?schema=away_pooler`)
  const screen = await openedOn(shop)
  pooler.kill()
  const sentence = words('does not answer')
  await screen.until(sentence)
  screen.press('n')
  await screen.until('New task')
  screen.press('Brew')
  await screen.until(/Title\s+Brew/)
  await pooler.start()
  await screen.lacks(sentence)
  await addAgain(screen, shop)
})
