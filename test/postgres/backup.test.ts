import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/db/engine/store.ts'
import { openStore } from '../../src/db/sqlite/open.ts'
import { aiswarm, answer } from '../stories/program.ts'
import { addSession, newAddress, openAt, ownCluster, sessionsIn } from '../support/board-on-server.ts'
import { migrations, refusal, temporaryFolder } from '../support/core.ts'
import { initialised } from '../support/template.ts'

// Backups of a board on a server, and the way back from one.

const cluster = ownCluster()

const openFile = (path: string): Promise<Store> => openStore(path, { migrations })

/** Opens files in which other work is done before the first row is written. */
const first =
  (work: () => Promise<unknown>) =>
  async (path: string): Promise<Store> => {
    const file = await openFile(path)
    return {
      ...file,
      write: (rows, options) =>
        file.write(async (db, at, last) => {
          const result = await rows(db, at, last)
          await work()
          return result
        }, options),
    }
  }

test('others write to a board on a server while it is backed up, and the backup is the board at one moment', async () => {
  const address = newAddress(cluster)
  const other = await openAt(address)
  await addSession(other, 'before')
  const store = await openAt(address, { openFile: first(() => addSession(other, 'during')) })
  const path = join(temporaryFolder(), 'board.db')
  await store.maintenance.backup(path)
  expect(await sessionsIn(store)).toEqual(['before', 'during'])
  const copy = await openFile(path)
  onTestFinished(() => copy.close())
  expect(await copy.read.selectFrom('sessions').select('id').execute()).toEqual([{ id: 'before' }])
  expect(await copy.maintenance.check()).toEqual({ damaged: false, findings: [] })
})

test('a backup that fails leaves no file, and can be made again', async () => {
  const address = newAddress(cluster)
  const full = (): Promise<never> => Promise.reject(new Error('no room'))
  const folder = temporaryFolder()
  const path = join(folder, 'board.db')
  const broken = await openAt(address, { openFile: first(full) })
  await expect(broken.maintenance.backup(path)).rejects.toThrow('no room')
  expect(readdirSync(folder)).toEqual([])
  const store = await openAt(address, { openFile })
  await store.maintenance.backup(path)
  expect(readdirSync(folder)).toEqual(['board.db'])
  expect((await refusal(store.maintenance.backup(path))).code).toBe('path_exists')
})

test('the backup of a board on a server comes back to the server as the refusal of db restore says', async () => {
  const root = join(temporaryFolder(), 'shop')
  mkdirSync(root)
  initialised(root)
  execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message', 'Begin'], { cwd: root })
  const url = cluster.url()
  expect(await aiswarm(root, 'init', '--yes', '--store', `${url}&schema=live`)).toMatchObject({ code: 0 })
  await answer(root, 'task', 'add', 'Bake', '--persona', 'implementer')
  const file = join(temporaryFolder(), 'board.db')
  expect(await aiswarm(root, 'db', 'backup', file)).toMatchObject({ code: 0, err: '' })
  await answer(root, 'task', 'add', 'Spoil', '--persona', 'implementer')
  const refused = await aiswarm(root, 'db', 'restore', file)
  expect(refused.code).not.toBe(0)
  expect(refused.err).toMatch(/clone the repository anew.*db copy --to URL\?schema=NEW.*store\.yaml of each host/)

  const clone = join(temporaryFolder(), 'anew')
  execFileSync('git', ['clone', '--quiet', root, clone])
  expect(await aiswarm(clone, 'db', 'restore', file)).toMatchObject({ code: 0, err: '' })
  expect(await aiswarm(clone, 'db', 'copy', '--to', `${url}&schema=again`)).toMatchObject({ code: 0, err: '' })
  const named = join(root, '.aiswarm/store.yaml')
  writeFileSync(named, readFileSync(named, 'utf8').replaceAll('live', 'again'), { mode: 0o600 })
  expect(await answer(root, 'task', 'list')).toMatchObject([{ title: 'Bake' }])
  expect(await aiswarm(root, 'db', 'check')).toMatchObject({ code: 0 })
  // The first host still is the checkout that it was.
  expect(await answer(root, 'task', 'add', 'Brew', '--persona', 'implementer')).toMatchObject({ id: 2 })
})
