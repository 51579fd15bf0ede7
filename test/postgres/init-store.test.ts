import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aiswarm, answer, start } from '../stories/program.ts'
import { ownCluster, runSql } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { initialised } from '../support/template.ts'

// A repository whose board begins on a server, by the built program.

const cluster = ownCluster()

const repository = (): string => {
  const root = join(temporaryFolder(), 'shop')
  mkdirSync(root)
  initialised(root)
  execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message', 'Begin'], { cwd: root })
  return root
}

const held = (root: string, file: string): boolean => existsSync(join(root, '.aiswarm', file))

const schemas = async (): Promise<readonly string[]> =>
  (await runSql<{ name: string }>(cluster, "SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '^aiswarm_'")).map(
    ({ name }) => name,
  )

test('init --store begins the board on the server, in a schema named after the repository', async () => {
  const root = repository()
  const url = cluster.url()
  const made = await aiswarm(root, 'init', '--yes', '--store', url)
  expect(made).toMatchObject({ code: 0, err: '' })
  expect(made.out).toContain(join(root, '.aiswarm/store.yaml'))
  const first = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).slice(0, 6)
  expect(await schemas()).toContain(`aiswarm_shop_${first}`)
  expect(readFileSync(join(root, '.aiswarm/store.yaml'), 'utf8')).toContain(`schema: aiswarm_shop_${first}`)
  expect(statSync(join(root, '.aiswarm/store.yaml')).mode & 0o077).toBe(0)
  expect(held(root, 'coordination.db')).toBe(false)
  await answer(root, 'task', 'add', 'Bake', '--persona', 'implementer')
  expect((await aiswarm(root, 'status')).out).toMatch(/^Board.*postgresql:/m)
  expect(await answer(root, 'task', 'list')).toMatchObject([{ title: 'Bake' }])
  // Again changes nothing.
  expect((await aiswarm(root, 'init', '--yes', '--store', url)).out).toMatch(/is ready; nothing was missing/)
  const other = await aiswarm(root, 'init', '--store', `${url}&schema=another`)
  expect(other.code).not.toBe(0)
  expect(other.err).toMatch(/store\.yaml names another store.*Move the board with 'aiswarm db copy --to URL'/)
  expect(await schemas()).not.toContain('another')
})

test('any command begins the board on the server that AISWARM_STORE names', async () => {
  const root = repository()
  const AISWARM_STORE = `${cluster.url()}&schema=aiswarm_by_variable`
  const made = await start(root, ['task', 'add', 'Bake', '--persona', 'implementer'], { AISWARM_STORE }).ended
  expect(made).toMatchObject({ code: 0 })
  expect(await schemas()).toContain('aiswarm_by_variable')
  expect(held(root, 'coordination.db')).toBe(false)
  const again = await start(root, ['init', '--yes'], { AISWARM_STORE }).ended
  expect(again).toMatchObject({ code: 0 })
  expect(held(root, 'store.yaml')).toBe(false)
  const clash = await start(root, ['init', '--store', cluster.url()], { AISWARM_STORE }).ended
  expect(clash.err).toMatch(/AISWARM_STORE names another store .*Leave --store out, or unset AISWARM_STORE/)
})

test('init --store refuses what it cannot use, and then has written nothing', async () => {
  const refusedStores: readonly (readonly [store: string, sentence: RegExp])[] = [
    ['postgresql://ada:secret@localhost/shop', /contains a password.*~\/\.pgpass/],
    ['mysql://localhost/shop', /begins with mysql:\/\/.*postgresql:\/\/user@host\/database/],
    ['shop', /is no address of PostgreSQL/],
    ['postgresql://ada@db.example.net/shop?sslmode=prefer', /sslmode=prefer.*verify-full/],
    ['postgresql://localhost:1/shop', /does not answer .*check the server and the network, then try again/],
    [cluster.url('missing'), /database "missing" does not exist.*'createdb'/],
    [cluster.url('postgres', 'stranger'), /role "stranger" does not exist/],
  ]
  const root = repository()
  for (const [store, sentence] of refusedStores) {
    const { code, err } = await aiswarm(root, 'init', '--yes', '--store', store)
    expect(code, store).not.toBe(0)
    expect(err, store).toMatch(sentence)
    expect(err, store).not.toContain('secret')
    expect(err.trim(), store).not.toContain('\n')
    expect(existsSync(join(root, '.aiswarm')), store).toBe(false)
  }
  const alone = await aiswarm(root, 'init', '--yes', '--password-command', 'true')
  expect(alone.err).toContain('The password is for a server: name it with --store URL.')
  expect(existsSync(join(root, '.aiswarm'))).toBe(false)
})

test('a repository with a board is refused with the command that moves it', async () => {
  const root = repository()
  await answer(root, 'task', 'add', 'Bake', '--persona', 'implementer')
  const { code, err } = await aiswarm(root, 'init', '--store', cluster.url())
  expect(code).not.toBe(0)
  expect(err).toMatch(
    /The board of this repository is in .*coordination\.db\. Move it with 'aiswarm db copy --to postgresql:/,
  )
  expect(held(root, 'store.yaml')).toBe(false)
})

test('a database holds twenty boards, and the next one is refused', async () => {
  const count = (await schemas()).length
  const fill = (n: number) =>
    runSql(cluster, `CREATE SCHEMA aiswarm_full_${n}; CREATE TABLE aiswarm_full_${n}.migration_history ()`)
  const made = Array.from({ length: 19 - count }, (_, n) => n)
  for (const n of made) await fill(n)
  try {
    expect(await aiswarm(repository(), 'init', '--yes', '--store', cluster.url())).toMatchObject({ code: 0 })
    const root = repository()
    const refused = await aiswarm(root, 'init', '--yes', '--store', `${cluster.url()}&schema=aiswarm_one_more`)
    expect(refused.err).toMatch(
      /There are 20 boards in this database, and aiswarm is made for 20\. Use another database/,
    )
    expect(await schemas()).not.toContain('aiswarm_one_more')
    expect(held(root, 'store.yaml')).toBe(false)
  } finally {
    for (const n of made) await runSql(cluster, `DROP SCHEMA aiswarm_full_${n} CASCADE`)
  }
})

test('a shallow clone begins no board whose schema would be another one for each commit', async () => {
  const origin = repository()
  const commit = (): unknown =>
    execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message', 'More'], { cwd: origin })
  commit()
  const root = join(temporaryFolder(), 'shop')
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${origin}`, root])
  const before = await schemas()
  const add = ['task', 'add', 'Bake', '--persona', 'implementer']
  const refused = await start(root, add, { AISWARM_STORE: cluster.url() }).ended
  expect(refused.code).not.toBe(0)
  expect(refused.err).toMatch(/This clone is shallow.*\?schema=NAME.*git fetch --unshallow/)
  expect((await aiswarm(root, 'init', '--yes', '--store', cluster.url())).err).toMatch(/This clone is shallow/)
  expect(await schemas()).toEqual(before)
  const named = `${cluster.url()}&schema=aiswarm_of_shallow`
  expect(await start(root, add, { AISWARM_STORE: named }).ended).toMatchObject({ code: 0 })
  execFileSync('git', ['fetch', '--quiet', '--unshallow'], { cwd: root })
  expect(await start(root, add, { AISWARM_STORE: cluster.url() }).ended).toMatchObject({ code: 0 })
})
