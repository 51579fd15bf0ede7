import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { afterEach, expect, it, vi } from 'vitest'
import { openStore } from '../../src/db/sqlite/open.ts'
import { migrations, temporaryFolder } from '../support/core.ts'

afterEach(() => vi.restoreAllMocks())

it.each([-3_600_000, 3_600_000])(
  'a waiting write succeeds soon after the database is free, even if the clock jumps by %i ms meanwhile',
  async (jump) => {
    const path = join(temporaryFolder(), 'coordination.db')
    const store = await openStore(path, { migrations })
    const other = new SqliteDatabase(path)
    other.exec('BEGIN IMMEDIATE')
    const real = Date.now
    const write = store.write((db) =>
      db.insertInto('sessions').values({ id: 's', status: 'completed', started_at: 'x', ended_at: 'x' }).execute(),
    )
    await sleep(20)
    vi.spyOn(Date, 'now').mockImplementation(() => real() + jump)
    await sleep(80)
    other.exec('ROLLBACK')
    other.close()
    await write
    expect(store.waits()).toMatchObject({ times: 1 })
    // By the wall clock it would have slept for minutes, or been refused at once.
    expect(store.waits().longest).toBeLessThan(5000)
    store.close()
  },
)
