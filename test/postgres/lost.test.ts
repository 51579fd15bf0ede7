import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { isRefusal } from '../../src/domain/rules/refusal.ts'
import { addSession, newAddress, openAt, ownCluster, sessionsIn } from '../support/board-on-server.ts'
import { refusal, temporaryFolder } from '../support/core.ts'
import { eventually } from '../support/eventually.ts'
import { freePort, startCluster } from '../support/postgres.ts'
import { openShop, programCommand } from '../stories/pty.ts'
import { needs } from '../support/needs.ts'
import { initialised } from '../support/template.ts'

// Which failures are those of a connection: a name that is not found is one, a file that cannot be read is none.

const cluster = ownCluster()

test('a server whose name is not found for a while is out of reach, and no bug of aiswarm', async (context) => {
  // A network without a server for names, as when a tunnel is down.
  const alone = ['unshare', '-rn']
  needs(context, spawnSync(alone[0]!, [alone[1]!, 'true']).status === 0, 'this machine allows no network namespace')
  const root = join(temporaryFolder(), 'shop')
  mkdirSync(join(root, '.aiswarm'), { recursive: true })
  initialised(root)
  execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message', 'Begin'], { cwd: root })
  writeFileSync(join(root, '.aiswarm/store.yaml'), 'store: postgresql://ada@db.example.net/shop\n', { mode: 0o600 })
  const main = resolve(import.meta.dirname, '../../dist/main.js')
  const child = spawn(alone[0]!, [alone[1]!, process.execPath, main, 'task', 'list', '--root', root])
  onTestFinished(() => void child.kill('SIGKILL'))
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (err += piece))
  await once(child, 'close')
  expect(err).toMatch(
    /PostgreSQL at postgresql:\/\/ada@db\.example\.net\/shop .* does not answer \(getaddrinfo EAI_AGAIN/,
  )
  expect(err).not.toMatch(/bug/i)
})

test('a write in which a file cannot be read fails at once with that reason, and is not run again', async () => {
  const store = await openAt(newAddress(cluster))
  let runs = 0
  const failed: unknown = await store
    .write(async () => {
      runs++
      readFileSync(join(temporaryFolder(), 'missing'))
    })
    .catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 'ENOENT', syscall: 'open' })
  expect(isRefusal(failed)).toBe(false)
  expect(runs).toBe(1)
  await addSession(store, 'after')
  expect(await sessionsIn(store)).toEqual(['after'])
})

test('a socket that is not there is a server out of reach', async () => {
  const url = `postgresql://owner@localhost/postgres?host=${temporaryFolder()}`
  expect((await refusal(openAt({ url, schema: 'none' }))).code).toBe('store_unreachable')
})

test('a question about the whole board is refused in words when the server goes away', async () => {
  const own = startCluster({ fsync: false })
  onTestFinished(() => own.remove())
  const store = await openAt({ url: own.url(), schema: 'gone' })
  own.stop('immediate')
  expect((await refusal(store.maintenance.status())).code).toBe('store_unreachable')
  expect((await refusal(store.maintenance.check())).code).toBe('store_unreachable')
})

test('a program whose own connections are all in use does not blame the network', async () => {
  const store = await openAt(newAddress(cluster))
  const asleep = Array.from({ length: 5 }, () => store.reading!((db) => sql`SELECT pg_sleep(13)`.execute(db)))
  const { code, message } = await refusal(store.reading!((db) => sql`SELECT 1`.execute(db)))
  expect(code).toBe('store_unreachable')
  expect(message).toMatch(/All connections of this program .* were in use for ten seconds/)
  await Promise.all(asleep)
})

test('a number that JavaScript cannot hold is refused, and is not read as another one', async () => {
  const store = await openAt(newAddress(cluster))
  const read = (value: string) => store.read.selectNoFrom(sql<number>`${sql.raw(value)}`.as('n')).executeTakeFirst()
  expect(await read('9007199254740991::int8')).toEqual({ n: 9_007_199_254_740_991 })
  expect(await read('1.5::numeric')).toEqual({ n: 1.5 })
  for (const value of ['9007199254740993::int8', '(-9007199254740993)::int8', '18014398509481985::numeric'])
    await expect(read(value)).rejects.toThrow('is beyond the numbers of JavaScript')
  // The connection remains usable.
  expect(await read('7::int8')).toEqual({ n: 7 })
})

/** Words that run a program with names of its own, which it reads again at each look, as from a server for names. */
const withNames = (folder: string): readonly string[] => {
  writeFileSync(join(folder, 'nsswitch.conf'), 'hosts: files dns\npasswd: files\n')
  // No server for names answers there.
  writeFileSync(join(folder, 'resolv.conf'), 'nameserver 127.0.0.53\noptions timeout:1 attempts:1\n')
  const mounts = ['hosts', 'nsswitch.conf', 'resolv.conf'].map(
    (name) => `mount --bind ${join(folder, name)} /etc/${name}`,
  )
  return ['unshare', '-rm', 'sh', '-c', `${mounts.join(' && ')} && exec "$@"`, 'sh']
}

test('a worker whose server has no name for a while says so once, and works again when it has one', async (context) => {
  const folder = temporaryFolder()
  const name = (known: boolean): void => writeFileSync(join(folder, 'hosts'), known ? '127.0.0.1 localhost\n' : '\n')
  name(true)
  const within = withNames(folder)
  needs(context, spawnSync(within[0]!, [...within.slice(1), 'true']).status === 0, 'this machine allows no mounts')
  const port = await freePort()
  const own = startCluster({ fsync: false, settings: { listen_addresses: '127.0.0.1', port: String(port) } })
  onTestFinished(() => own.remove())
  const shop = openShop(context, { ownStore: true })
  const store = `postgresql://owner@localhost:${port}/postgres?schema=nameless`
  expect(await shop.run('init', '--yes', '--store', store)).toMatchObject({ code: 0 })
  const worker = shop.startProgram([...within, ...programCommand, 'worker', '--root', shop.root], { columns: 200 })
  const add = async (title: string): Promise<number> =>
    (await shop.answer<{ id: number }>('task', 'add', title, '--persona', 'implementer', '--command', 'true')).id
  const before = await add('before')
  const isCompleted = async (id: number): Promise<void> => {
    const { status } = await shop.answer<{ status: string }>('task', 'show', String(id))
    expect(status).toBe('completed')
  }
  await eventually(() => isCompleted(before))
  name(false)
  own.stop()
  own.start()
  await worker.until(/does not answer \(getaddrinfo EAI_AGAIN/)
  const after = await add('after')
  name(true)
  await worker.until('The board answers again.')
  await eventually(() => isCompleted(after))
  expect(worker.written()).not.toMatch(/bug|^ +at /m)
})

test('a worker that starts while its server is away waits for it, which it says once', async (context) => {
  const port = await freePort()
  const own = startCluster({ fsync: false, settings: { listen_addresses: '127.0.0.1', port: String(port) } })
  onTestFinished(() => own.remove())
  const shop = openShop(context, { ownStore: true })
  const store = `postgresql://owner@localhost:${port}/postgres?schema=waited`
  expect(await shop.run('init', '--yes', '--store', store)).toMatchObject({ code: 0 })
  const { id } = await shop.answer<{ id: number }>(
    ...['task', 'add', 'soon', '--persona', 'implementer', '--command', 'true'],
  )
  own.stop()
  const worker = shop.startProgram([...programCommand, 'worker', '--root', shop.root], { columns: 300 })
  await worker.until('The worker waits for it.')
  expect(await shop.run('worker', '--once')).toMatchObject({ code: 1 })
  own.start()
  await worker.until('The board answers again.')
  await eventually(async () => {
    const { status } = await shop.answer<{ status: string }>('task', 'show', String(id))
    expect(status).toBe('completed')
  })
  expect(worker.written().match(/waits for it/g)).toHaveLength(1)
})
