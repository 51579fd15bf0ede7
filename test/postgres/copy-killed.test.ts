import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { copiedTables, copyBoard } from '../../src/db/copy.ts'
import { openStore } from '../../src/db/sqlite/open.ts'
import { aiswarm, answer, type Running, start } from '../stories/program.ts'
import { expectDurable } from '../support/board-of-test.ts'
import { ownCluster, runSql } from '../support/board-on-server.ts'
import { migrations, temporaryFolder } from '../support/core.ts'
import { ofDay } from '../support/dose.ts'
import { filledBoard } from '../support/filled-board.ts'
import type { Cluster } from '../support/postgres.ts'
import { initialised } from '../support/template.ts'

// A copy whose process is killed in the middle: the board is where it was, whole, and can be copied again.

const cluster = ownCluster({ fsync: true, settings: { max_connections: '200' } })

/** A repository whose database file holds a filled board. */
const repository = async (): Promise<string> => {
  const root = join(temporaryFolder(), 'shop')
  mkdirSync(join(root, '.aiswarm'), { recursive: true })
  initialised(root)
  execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message', 'Begin'], { cwd: root })
  const world = await filledBoard()
  const store = await openStore(join(root, '.aiswarm/coordination.db'), { migrations })
  await copyBoard(world.store, store)
  store.close()
  return root
}

/** Where a copy is killed: at the last of these words, which come in this order, or at the server's answer to it. */
interface Place {
  readonly words: readonly string[]
  readonly answered?: boolean
}

/** Passes a copy's messages to the server until it is at the place; then it kills the copy. */
const killingProxy = async (
  of: Cluster,
  { words, answered = false }: Place,
  victim: () => Running,
): Promise<string> => {
  const folder = temporaryFolder()
  const open = new Set<Socket>()
  const proxy = createServer((near) => {
    const far = connect(join(of.folder, '.s.PGSQL.5432'))
    const end = (): void => void (near.destroy(), far.destroy())
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', end).on('close', end)
    }
    let met = 0
    const kill = (): void => {
      victim().child.kill('SIGKILL')
      end()
    }
    near.on('data', (bytes) => {
      while (met < words.length && bytes.includes(words[met]!)) met++
      if (met === words.length && !answered) return kill()
      far.write(bytes)
    })
    far.on('data', (bytes) => (met === words.length ? kill() : void near.write(bytes)))
  })
  await new Promise<void>((resolve) => proxy.listen(join(folder, '.s.PGSQL.5432'), resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
  })
  return of.url().replace(of.folder, folder)
}

/** Tables of the filled board that have rows, so that a copy writes each of them. */
const filled = (root: string): readonly string[] => {
  const connection = new SqliteDatabase(join(root, '.aiswarm/coordination.db'), { readonly: true })
  try {
    return copiedTables
      .map(({ name }) => name)
      .filter((name) => connection.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined)
  } finally {
    connection.close()
  }
}

const killedAt = async (root: string, at: Place, ...args: readonly string[]): Promise<void> => {
  const copies: Running[] = []
  const url = await killingProxy(cluster, at, () => copies[0]!)
  const named = join(root, '.aiswarm/store.yaml')
  const store = existsSync(named) ? readFileSync(named, 'utf8') : undefined
  // The copy back must name the server as the file does.
  if (store !== undefined) writeFileSync(named, store.replace(cluster.url(), url), { mode: 0o600 })
  const victim = start(root, ['db', 'copy', ...args.map((arg) => arg.replace('URL', url))])
  copies.push(victim)
  const { code, out, err } = await victim.ended
  expect(code, `${at.words.join()}: ${out}${err}`).toBe(null)
  if (store !== undefined && existsSync(named)) writeFileSync(named, store, { mode: 0o600 })
}

const rowsIn = async (schema: string, table: string): Promise<number> =>
  (await runSql<{ n: string }>(cluster, `SELECT count(*) AS n FROM ${schema}.${table}`)).map(({ n }) => Number(n))[0]!

test('the servers of these kills write each commit to the disk', () => expectDurable(cluster.url()))

test(
  'a copy to a server that is killed at any table leaves the board in its file, and the server takes it the next time',
  { timeout: 600_000 },
  async () => {
    const root = await repository()
    const places = [...filled(root).map((table) => `insert into "${table}"`), 'COMMIT\0']
    expect(places.length).toBeGreaterThan(15)
    const chosen = [...ofDay(places.slice(0, -1), 8), places.at(-1)!]
    const schema = 'killed_to'
    for (const words of chosen) {
      await killedAt(root, { words: [words] }, '--to', `URL&schema=${schema}`)
      expect(existsSync(join(root, '.aiswarm/store.yaml')), words).toBe(false)
      expect(await rowsIn(schema, 'tasks'), words).toBe(0)
      // The file is still the board.
      const title = `after ${words.slice(0, 30).replace('\0', '')}`
      const { id } = await answer<{ id: number }>(root, 'task', 'add', title, '--persona', 'implementer')
      expect((await aiswarm(root, 'db', 'check')).code, words).toBe(0)
      expect(await answer(root, 'task', 'show', String(id)), words).toMatchObject({ title })
    }
    const tasks = await answer<readonly unknown[]>(root, 'task', 'list')
    expect(tasks).toHaveLength(40 + chosen.length)
    expect(await aiswarm(root, 'db', 'copy', '--to', `${cluster.url()}&schema=${schema}`)).toMatchObject({
      code: 0,
      err: '',
    })
    expect(await answer(root, 'task', 'list')).toEqual(tasks)
    expect(await rowsIn(schema, 'tasks')).toBe(tasks.length)
    expect(readdirSync(join(root, '.aiswarm')).filter((name) => name.startsWith('store.yaml'))).toEqual(['store.yaml'])
  },
)

test('a copy back that is killed at any table leaves the board on the server', { timeout: 600_000 }, async () => {
  const root = await repository()
  const url = `${cluster.url()}&schema=killed_from`
  const places = filled(root).map((table) => `from "${table}"`)
  expect(await aiswarm(root, 'db', 'copy', '--to', url)).toMatchObject({ code: 0, err: '' })
  // The last two: the copy is in its place, and the server is not left yet.
  const left = 'UPDATE board SET moved_to'
  for (const words of [...ofDay(places, 8).map((place) => [place]), [left], [left, 'COMMIT\0']]) {
    await killedAt(root, { words }, '--from', 'URL&schema=killed_from')
    expect(existsSync(join(root, '.aiswarm/store.yaml')), words.join()).toBe(true)
    await answer(root, 'task', 'add', words.join(' ').replace('\0', ''), '--persona', 'implementer')
    expect((await aiswarm(root, 'db', 'check')).code, words.join()).toBe(0)
  }
  const tasks = await answer<readonly unknown[]>(root, 'task', 'list')
  expect(await aiswarm(root, 'db', 'copy', '--from', url)).toMatchObject({ code: 0, err: '' })
  expect(existsSync(join(root, '.aiswarm/store.yaml'))).toBe(false)
  expect(await answer(root, 'task', 'list')).toEqual(tasks)
})

// Between its last write and its last message to the server it removes the name of that from the checkout.
test.each([
  [
    'before it removes the name of the server',
    { words: ['UPDATE board SET moved_to', 'COMMIT\0'], answered: true },
    true,
  ],
  ['at its very end', { words: ['UPDATE board SET moved_to', 'COMMIT\0', 'X\0\0\0\u0004'] }, false],
] as const)(
  'a copy back that is killed %s leaves one board, the file, which the refusal of the other names',
  async (_, place, isNamed) => {
    const root = await repository()
    const named = join(root, '.aiswarm/store.yaml')
    const schema = `left_${String(isNamed)}`
    expect(await aiswarm(root, 'db', 'copy', '--to', `${cluster.url()}&schema=${schema}`)).toMatchObject({ code: 0 })
    const tasks = await answer<readonly unknown[]>(root, 'task', 'list')
    await killedAt(root, place, '--from', `URL&schema=${schema}`)
    expect(await runSql(cluster, `SELECT moved_to FROM ${schema}.board`)).toEqual([
      { moved_to: join(root, '.aiswarm/coordination.db') },
    ])
    expect(existsSync(named)).toBe(isNamed)
    if (isNamed) {
      const { code, err } = await aiswarm(root, 'task', 'add', 'late', '--persona', 'implementer')
      expect(code).not.toBe(0)
      expect(err).toMatch(/is at \S+coordination\.db now\. .*remove it if the board is a file of this checkout/)
      rmSync(named)
    }
    expect(await answer(root, 'task', 'list')).toEqual(tasks)
    expect((await aiswarm(root, 'db', 'check')).code).toBe(0)
    await answer(root, 'task', 'add', 'after', '--persona', 'implementer')
    expect(await rowsIn(schema, 'tasks')).toBe(tasks.length)
  },
)

test('a process that has the file open when the board moves away is refused with the new place', async () => {
  const root = await repository()
  const old = await openStore(join(root, '.aiswarm/coordination.db'), { migrations })
  onTestFinished(() => old.close())
  expect(await aiswarm(root, 'db', 'copy', '--to', `${cluster.url()}&schema=moved_away`)).toMatchObject({
    code: 0,
    err: '',
  })
  await expect(
    old.write((db) =>
      db
        .insertInto('leases')
        .values({ name: 'late' } as never)
        .execute(),
    ),
  ).rejects.toMatchObject({
    code: 'database_moved',
    message: expect.stringContaining('(moved_away) now. Start aiswarm again') as string,
  })
  // Killed before the server was named, the checkout refuses the file, and says what to do.
  rmSync(join(root, '.aiswarm/store.yaml'))
  const { code, err } = await aiswarm(root, 'task', 'list')
  expect(code).not.toBe(0)
  expect(err).toMatch(/if \.aiswarm\/store\.yaml is missing, 'aiswarm db copy --from URL' brings the board back/)
  expect(await aiswarm(root, 'db', 'copy', '--from', `${cluster.url()}&schema=moved_away`)).toMatchObject({
    code: 0,
    err: '',
  })
  expect(await answer(root, 'task', 'list')).toHaveLength(40)
})
