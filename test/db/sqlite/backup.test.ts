import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { backupTo, restoreFrom } from '../../../src/db/sqlite/backup.ts'
import { openStore } from '../../../src/db/sqlite/open.ts'
import { migrations, refusal, temporaryFolder } from '../../support/core.ts'
import { eventually } from '../../support/eventually.ts'
import { look, outcome, startFixture, tamper } from '../../support/store.ts'

/** A database with the session `old`, and an earlier backup of it with the session `backed-up`. */
const boards = async (): Promise<{ path: string; copy: string }> => {
  const folder = temporaryFolder()
  const [path, copy] = [join(folder, 'coordination.db'), join(folder, 'copy.db')]
  const store = await openStore(path, { migrations })
  store.connection.exec(
    "INSERT INTO sessions (id, status, started_at, ended_at) VALUES ('backed-up', 'completed', 'x', 'x')",
  )
  backupTo(store.connection, copy)
  store.connection.exec("UPDATE sessions SET id = 'old'")
  store.close()
  return { path, copy }
}

/** Writes and ends as if killed with kill -9. */
const dying = `const c = new (require('better-sqlite3'))(process.argv[1]); c.exec("UPDATE sessions SET id = 'last'"); process.kill(process.pid, 'SIGKILL')`

const sessionsIn = (path: string): readonly string[] =>
  look<{ id: string }>(path, 'SELECT id FROM sessions ORDER BY rowid').map(({ id }) => id)
const kept = (path: string): string => `${path}.replaced-1`

describe('a backup', () => {
  it('is a complete database that opens when it is copied to its place', async () => {
    const { path, copy } = await boards()
    rmSync(path)
    copyFileSync(copy, path)
    const store = await openStore(path, { migrations })
    expect((await store.read.selectFrom('sessions').select('id').execute()).map(({ id }) => id)).toEqual(['backed-up'])
    store.close()
  })

  it('is readable only by its owner, and leaves no other file', async () => {
    const { copy } = await boards()
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(copy))).toEqual(['coordination.db', 'copy.db'])
  })

  it('that cannot be written leaves no file', async () => {
    const { path } = await boards()
    const store = await openStore(path, { migrations })
    const folder = join(dirname(path), 'none')
    expect(await refusal((async () => backupTo(store.connection, join(folder, 'copy.db')))())).toMatchObject({
      code: 'not_writable',
      message: `There is no folder ${folder}. Create it, or name another file.`,
    })
    store.close()
  })
})

describe('a restore', () => {
  it('puts the copy in place and keeps the replaced database', async () => {
    const { path, copy } = await boards()
    expect(restoreFrom(path, copy, { aside: kept(path), patience: 1000 })).toEqual({ kept: true })
    expect([sessionsIn(path), sessionsIn(kept(path))]).toEqual([['backed-up'], ['old']])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('replaces a damaged or a missing database', async () => {
    const { path, copy } = await boards()
    writeFileSync(path, 'no database at all\n'.repeat(100))
    expect(restoreFrom(path, copy, { aside: kept(path), patience: 1000 })).toEqual({ kept: true })
    rmSync(path)
    expect(restoreFrom(path, copy, { aside: `${path}.replaced-2`, patience: 1000 })).toEqual({ kept: false })
    expect(sessionsIn(path)).toEqual(['backed-up'])
  })

  it('accepts a backup of an older aiswarm, which is not in WAL mode', async () => {
    const { path, copy } = await boards()
    tamper(copy, 'PRAGMA journal_mode = DELETE')
    restoreFrom(path, copy, { aside: kept(path), patience: 1000 })
    ;(await openStore(path, { migrations })).close()
  })

  it.each([
    ['no database', 'database_corrupt', (copy: string) => writeFileSync(copy, 'a text\n'.repeat(1000))],
    [
      'a database of something else',
      'database_foreign',
      (copy: string) => (rmSync(copy), tamper(copy, 'CREATE TABLE their_own (x)')),
    ],
    ['no file', 'not_found', (copy: string) => rmSync(copy)],
    [
      'a database with a missing row',
      'database_corrupt',
      (copy: string) =>
        tamper(
          copy,
          "PRAGMA foreign_keys = OFF; INSERT INTO task_status (task_id, status, changed_at) VALUES (9, 'pending', 'x')",
        ),
    ],
  ])('of %s is refused and changes nothing', async (_, code, spoil) => {
    const { path, copy } = await boards()
    spoil(copy)
    expect((await refusal((async () => restoreFrom(path, copy, { aside: kept(path), patience: 1000 }))())).code).toBe(
      code,
    )
    expect(sessionsIn(path)).toEqual(['old'])
    expect(readdirSync(dirname(path)).filter((name) => /restor|replaced/.test(name))).toEqual([])
  })

  it('keeps every row that was acknowledged to another process', async () => {
    const { path, copy } = await boards()
    const writer = startFixture('session-writer', [path, migrations])
    let said = ''
    writer.stdout!.setEncoding('utf8').on('data', (piece: string) => (said += piece))
    await eventually(() => expect(said).toContain('a5\n'))
    restoreFrom(path, copy, { aside: kept(path), patience: 5000 })
    const before = said.length
    await eventually(() => expect(said.slice(before).match(/^a/gm)?.length).toBeGreaterThan(20))
    writer.stdin!.end()
    await outcome(writer)
    const lines = said.trim().split('\n')
    const acknowledged = lines.filter((line) => line.startsWith('a'))
    expect(lines.filter((line) => line.startsWith('refused'))).toEqual(['refused database_moved'])
    expect([...sessionsIn(kept(path)), ...sessionsIn(path)].filter((id) => id.startsWith('a'))).toEqual(acknowledged)
    expect(look(path, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(look(kept(path), 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })

  it('that was killed before any of its steps is complete or undone for the next process that opens the database', async () => {
    const whole = await boards()
    const calls = Number((await outcome(startFixture('restorer', [whole.path, whole.copy, '0']))).output)
    expect(calls).toBeGreaterThan(10)
    const seen = new Set<string>()
    for (let point = 1; point <= calls; point++) {
      const { path, copy } = await boards()
      // The last writes are only in the log, as a killed process leaves them.
      spawnSync(process.execPath, ['-e', dying, path], { cwd: resolve(import.meta.dirname, '../../..') })
      expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
      await outcome(startFixture('restorer', [path, copy, String(point)]))
      const store = await openStore(path, { migrations })
      const [session] = (await store.read.selectFrom('sessions').select('id').execute()).map(({ id }) => id)
      store.close()
      seen.add(session!)
      expect(['last', 'backed-up'], `killed before call ${point}`).toContain(session)
      if (session === 'backed-up') expect(sessionsIn(kept(path)), `killed before call ${point}`).toEqual(['last'])
      expect(look(path, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
      expect(existsSync(`${path}.restore`)).toBe(false)
    }
    expect([...seen].sort()).toEqual(['backed-up', 'last'])
  })
})
