import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copyDatabase } from '../../src/operations/database/copy.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import { openStore } from '../../src/db/sqlite/open.ts'
import type { Store } from '../../src/db/engine/store.ts'
import { aiswarm, answer, start } from '../stories/program.ts'
import { addSession, newAddress, openAt, ownCluster, runSql, sessionsIn } from '../support/board-on-server.ts'
import { migrations, openCore, refusal, temporaryFolder } from '../support/core.ts'
import { initialised } from '../support/template.ts'

// When a board may move, and when it has not moved after all.

const cluster = ownCluster()

const newFile = async (): Promise<Store> => {
  const store = await openStore(join(temporaryFolder(), 'coordination.db'), { migrations })
  onTestFinished(() => store.close())
  return store
}

/** A repository with one task, on a board in its file. */
const repository = async (title: string): Promise<string> => {
  const root = join(temporaryFolder(), 'shop')
  mkdirSync(root)
  initialised(root)
  execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message', 'Begin'], { cwd: root })
  expect(await aiswarm(root, 'init', '--yes')).toMatchObject({ code: 0 })
  await answer(root, 'task', 'add', title, '--persona', 'implementer')
  return root
}

const titles = async (root: string): Promise<readonly string[]> =>
  (await answer<readonly { title: string }[]>(root, 'task', 'list')).map(({ title }) => title)

const storeFile = (root: string): string => join(root, '.aiswarm/store.yaml')

const now = (): string => new Date().toISOString()

test('a board whose server is lost at the end of the copy is not called moved, and is still the board', async () => {
  const from = await openAt(newAddress(cluster))
  await addSession(from, 'one')
  let ends = 0
  const moving = copyDatabase(from, await newFile(), now(), async (leave) => {
    ends++
    await runSql(
      cluster,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'aiswarm%'",
    )
    await leave('/elsewhere')
  })
  expect(await refusal(moving)).toMatchObject({
    code: 'store_unreachable',
    message: expect.stringMatching(/is still the board\. Copy it again\.$/) as string,
  })
  expect(ends).toBe(1)
  await addSession(from, 'two')
  expect(await sessionsIn(from)).toEqual(['one', 'two'])
})

test('an error of the system at the end of the copy is passed on, and the board stays where it was', async () => {
  const from = await openAt(newAddress(cluster))
  let ends = 0
  const moving = copyDatabase(from, await newFile(), now(), async () => {
    ends++
    readFileSync(join(temporaryFolder(), 'missing'))
  })
  await expect(moving).rejects.toMatchObject({ code: 'ENOENT' })
  expect(ends).toBe(1)
  await addSession(from, 'one')
})

test('a role on the server is held by the clock of the server, whatever this machine shows', async () => {
  const from = await openAt(newAddress(cluster))
  await from.write((db, at) =>
    db
      .insertInto('leases')
      .values({
        name: 'supervisor',
        holder: 'other',
        holder_pid: 4711,
        acquired_at: at!,
        expires_at: new Date(Date.parse(at!) + 60_000).toISOString(),
        term: 1,
      })
      .execute(),
  )
  const ahead = new Date(Date.now() + 3_600_000).toISOString()
  expect((await refusal(copyDatabase(from, await newFile(), ahead))).message).toContain(
    'Process 4711 works on this board (supervisor). End it, then copy the board.',
  )
})

test('a board is not copied to a file while a worktree is on another host, which is named', async () => {
  const [from, world] = [await openAt(newAddress(cluster)), await openCore()]
  await world.perform(createWorktree, { name: 'swift-heron', branchName: 'swift-heron' })
  await copyDatabase(world.store, from, world.now())
  await from.write(async (db) => {
    await db
      .insertInto('hosts')
      .values({ id: 'far', name: 'build-2', state: 'up' } as never)
      .execute()
    await db.updateTable('worktrees').set({ host_id: 'far' }).execute()
  })
  const { code, message } = await refusal(copyDatabase(from, await newFile(), now()))
  expect(code).toBe('invalid_state')
  expect(message).toMatch(/swift-heron on build-2\. Move each with 'aiswarm worktree move W --host H'/)
  // Another server has all hosts.
  await copyDatabase(from, await openAt(newAddress(cluster)), now())
})

test('a copy back does not replace a board of its own, and not that of another server', async () => {
  const [shop, other] = [await repository('Bake'), await repository('Brew')]
  const url = `${cluster.url()}&schema=of_shop`
  expect(await aiswarm(shop, 'db', 'copy', '--to', url)).toMatchObject({ code: 0, err: '' })
  const own = await aiswarm(other, 'db', 'copy', '--from', url)
  expect(own.err).toMatch(/has a board of its own in .*coordination\.db/)
  expect(own.code).not.toBe(0)
  expect(await titles(other)).toEqual(['Brew'])
  expect(await aiswarm(other, 'db', 'copy', '--to', `${cluster.url()}&schema=of_other`)).toMatchObject({ code: 0 })
  const elsewhere = await aiswarm(other, 'db', 'copy', '--from', url)
  expect(elsewhere.err).toMatch(/store\.yaml names postgresql:.*\(of_other\)/)
  expect(elsewhere.code).not.toBe(0)
  expect(existsSync(storeFile(other))).toBe(true)
  expect(await titles(other)).toEqual(['Brew'])
  expect(await titles(shop)).toEqual(['Bake'])
  // The same place with other words.
  const back = await aiswarm(shop, 'db', 'copy', '--from', url.replace('owner@localhost', 'owner@localhost:5432'))
  expect(back).toMatchObject({ code: 0, err: '' })
  expect(back.out).toMatch(/The file that was there before is .*coordination\.db\.replaced-/)
  expect(await titles(shop)).toEqual(['Bake'])
})

test('a clone that has joined the board as another host does not take it into its file', async () => {
  const root = await repository('Bake')
  const url = `${cluster.url()}&schema=joined`
  expect(await aiswarm(root, 'db', 'copy', '--to', url)).toMatchObject({ code: 0, err: '' })
  expect(await titles(root)).toEqual(['Bake'])
  writeFileSync(join(root, '.aiswarm/run/host'), 'far\n')
  expect((await aiswarm(root, 'db', 'copy', '--from', url)).err).toMatch(/Run the command in the checkout of the first/)
})

test.each(['--to', '--from'])(
  'db copy %s is refused while AISWARM_STORE names the board, and changes nothing',
  async (direction) => {
    const root = await repository('Bake')
    const AISWARM_STORE = `${cluster.url()}&schema=by_variable`
    const url = `${cluster.url()}&schema=copied`
    const { code, err } = await start(root, ['db', 'copy', direction, url], { AISWARM_STORE }).ended
    expect(code).not.toBe(0)
    expect(err).toMatch(/AISWARM_STORE names the board.*Unset AISWARM_STORE first/)
    expect(existsSync(storeFile(root))).toBe(false)
    expect(await titles(root)).toEqual(['Bake'])
  },
)
