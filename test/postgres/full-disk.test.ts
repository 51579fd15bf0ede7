import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { generous } from '../stories/pty.ts'
import { addSession, newAddress, openAt, runSql, sessionsIn } from '../support/board-on-server.ts'
import { refusal } from '../support/core.ts'
import { addAgain, openedOn, shopOn, words } from '../support/console-on-server.ts'
import { needs } from '../support/needs.ts'
import { type Cluster, startCluster } from '../support/postgres.ts'

// A server whose disk is full while a board is open.

/** A small disk of its own. */
const smallDisk = (context: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'aiswarm-small-disk-'))
  let mounted = false
  if (userInfo().uid === 0) {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', folder], { stdio: 'ignore' })
      mounted = true
    } catch {
      // Not allowed here.
    }
  }
  needs(context, mounted, 'this user may not mount a small disk')
  onTestFinished(() => {
    execFileSync('umount', [folder])
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

test('a write on a full disk of the server says so, and the board is written again when there is room', async (context) => {
  const disk = smallDisk(context)
  const cluster = startCluster({ fsync: true, within: disk, settings: { max_wal_size: '32MB', min_wal_size: '32MB' } })
  onTestFinished(() => cluster.remove())
  const store = await openAt(newAddress(cluster), { patience: 3000 })
  await addSession(store, 'before')
  const ballast = join(disk, 'ballast')
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - 256 * 1024))
  const text = 'x'.repeat(100_000)
  let refused: { readonly code: string; readonly message: string } | undefined
  const acknowledged = ['before']
  const withText = (id: string) =>
    store.write((db) =>
      db
        .insertInto('sessions')
        .values({ id, status: 'completed', started_at: 'x', ended_at: 'x', summary: `${id}${randomText()}${text}` })
        .execute(),
    )
  for (let n = 0; n < 400 && refused === undefined; n++) {
    const id = `session-${100 + n}`
    await withText(id).then(
      () => void acknowledged.push(id),
      async (error: unknown) => void (refused = await refusal(Promise.reject(error as Error))),
    )
  }
  expect(['disk_failed', 'store_unreachable']).toContain(refused?.code)
  expect(refused?.message).toMatch(
    /has no room left .*Make room on the server|does not answer|restarts|takes no connections|is being stopped/,
  )
  rmSync(ballast)
  // A server that could not write its log has ended, as PostgreSQL does, and is started by its administrator.
  if (refused?.code === 'store_unreachable') cluster.start()
  await addSession(store, 'then')
  const held = await sessionsIn(store)
  for (const id of [...acknowledged, 'then']) expect(held).toContain(id)
})

test(
  'a console whose server has a full disk says so, keeps what was typed, and continues when there is room',
  generous,
  async (context) => {
    const disk = smallDisk(context)
    const cluster = startCluster({
      fsync: true,
      within: disk,
      settings: { max_wal_size: '32MB', min_wal_size: '32MB' },
    })
    onTestFinished(() => cluster.remove())
    const shop = await shopOn(context, `${cluster.url()}&schema=full`)
    const screen = await openedOn(shop)
    const ballast = join(disk, 'ballast')
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 256 * 1024))
    // Another program writes until the server's log has no room: then the server ends, as PostgreSQL does.
    const logged = "SELECT pg_logical_emit_message(false, 'filling', repeat('x', 1000000))"
    while (await succeeds(cluster, logged));
    const sentence = words('does not answer')
    await screen.until(sentence)
    screen.press('n')
    await screen.until('New task')
    screen.press('Brew')
    await screen.until(/Title\s+Brew/)
    rmSync(ballast)
    if (!(await succeeds(cluster, 'SELECT 1'))) cluster.start()
    await screen.lacks(sentence)
    await addAgain(screen, shop)
  },
)

const succeeds = (cluster: Cluster, sql: string): Promise<boolean> =>
  runSql(cluster, sql).then(
    () => true,
    () => false,
  )

/** Text that a server does not compress. */
const randomText = (): string => Array.from({ length: 4000 }, () => Math.random().toString(36).slice(2)).join('')
