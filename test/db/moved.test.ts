import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStore, type SqliteStore } from '../../src/db/sqlite/open.ts'
import { restoreFrom } from '../../src/db/sqlite/backup.ts'
import { migrations, refusal, temporaryFolder } from '../support/core.ts'
import { look } from '../support/store.ts'

const newPath = (): string => join(temporaryFolder(), 'coordination.db')

const open = async (path: string): Promise<SqliteStore> => {
  const store = await openStore(path, { migrations })
  onTestFinished(() => store.close())
  return store
}

const addSession = (store: SqliteStore, id: string): Promise<unknown> =>
  store.write((db) =>
    db.insertInto('sessions').values({ id, status: 'completed', started_at: 'x', ended_at: 'x' }).execute(),
  )

const sessionsIn = async (store: SqliteStore): Promise<readonly string[]> =>
  (await store.read.selectFrom('sessions').select('id').orderBy('id').execute()).map(({ id }) => id)

/** A closed database with one session in it. */
const databaseWith = async (session: string): Promise<string> => {
  const path = newPath()
  const store = await openStore(path, { migrations })
  await addSession(store, session)
  store.close()
  return path
}

const filesLike = (path: string, part: string): readonly string[] =>
  readdirSync(dirname(path))
    .filter((name) => name.includes(part) && !/-(wal|shm)$/.test(name))
    .map((name) => join(dirname(path), name))

describe('an open database', () => {
  it('refuses writes after its log was removed, and saves the acknowledged rows in a file', async () => {
    const path = newPath()
    const store = await open(path)
    await addSession(store, 'before')
    rmSync(`${path}-wal`)
    rmSync(`${path}-shm`)
    const { code, message } = await refusal(addSession(store, 'after'))
    expect(code).toBe('database_moved')
    const [saved] = filesLike(path, '.saved-')
    expect(message).toBe(
      `The write-ahead log of ${path} was removed while aiswarm had it open. Nothing more is written. Everything that was acknowledged is in ${saved}. 'aiswarm db restore ${saved}' restores it.`,
    )
    expect(look(saved!, 'SELECT id FROM sessions')).toEqual([{ id: 'before' }])
    await refusal(addSession(store, 'again'))
    expect(filesLike(path, '.saved-')).toEqual([saved])
  })

  it('refuses reads after its log was removed, as soon as a process checks for changes', async () => {
    const path = newPath()
    const store = await open(path)
    await addSession(store, 'before')
    rmSync(`${path}-shm`)
    store.version()
    expect((await refusal(sessionsIn(store))).code).toBe('database_moved')
  })

  it('is usable again by the process that saved it after the saved file is restored', async () => {
    const path = newPath()
    const store = await open(path)
    await addSession(store, 'before')
    rmSync(`${path}-wal`)
    await refusal(addSession(store, 'after'))
    restoreFrom(path, filesLike(path, '.saved-')[0]!, { aside: `${path}.replaced-1`, patience: 1000 })
    store.version()
    expect(await sessionsIn(store)).toEqual(['before'])
    await addSession(store, 'restored')
    expect(await sessionsIn(store)).toEqual(['before', 'restored'])
  })

  it('refuses writes after it was removed, and is not created again', async () => {
    const path = newPath()
    const store = await open(path)
    await addSession(store, 'before')
    rmSync(path)
    expect((await refusal(addSession(store, 'after'))).message).toContain(
      `${path} was removed while aiswarm had it open. Nothing more is written. Everything that was acknowledged is in`,
    )
    expect(existsSync(path)).toBe(false)
    expect(look(filesLike(path, '.saved-')[0]!, 'SELECT id FROM sessions')).toEqual([{ id: 'before' }])
  })

  it('is reopened after it was replaced: one write is refused, and the version grows', async () => {
    const path = newPath()
    const store = await open(path)
    await addSession(store, 'old')
    const before = store.version()
    const other = await databaseWith('new')
    renameSync(path, `${path}.old`)
    for (const end of ['-wal', '-shm']) rmSync(path + end)
    copyFileSync(other, path)
    const { code, message } = await refusal(addSession(store, 'after'))
    expect(code).toBe('database_moved')
    expect(message).toContain(
      'was replaced while aiswarm had it open. Nothing was written; aiswarm has opened the new one. Check it, then try again.',
    )
    expect(store.version()).toBeGreaterThan(before)
    expect(await sessionsIn(store)).toEqual(['new'])
    await addSession(store, 'then')
    expect(await sessionsIn(store)).toEqual(['new', 'then'])
    expect(look(filesLike(path, '.saved-')[0]!, 'SELECT id FROM sessions')).toEqual([{ id: 'old' }])
  })

  it('informs a reading process that it was replaced', async () => {
    const path = newPath()
    const store = await open(path)
    await addSession(store, 'old')
    const before = store.version()
    restoreFrom(path, await databaseWith('new'), { aside: `${path}.replaced-1`, patience: 1000 })
    expect(store.version()).toBeGreaterThan(before)
    expect(await sessionsIn(store)).toEqual(['new'])
    expect(filesLike(path, '.saved-')).toEqual([])
  })

  it('is refused with the log of another database', async () => {
    const path = newPath()
    const store = await open(path)
    await addSession(store, 'old')
    const other = await databaseWith('new')
    renameSync(path, `${path}.old`)
    copyFileSync(other, path)
    const { code, message } = await refusal(openStore(path, { migrations }))
    expect(code).toBe('database_foreign')
    expect(message).toContain(`${path}-wal is older than the database next to it, so it belongs to another one.`)
  })
})
