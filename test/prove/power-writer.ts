// Does the work that the first word names in the folder named second, and acknowledges each piece of work on a line of
// the file ACK.
import { closeSync, openSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { backupTo, restoreFrom } from '../../src/db/sqlite/backup.ts'
import { withFileLock } from '../../src/db/sqlite/file-lock.ts'
import { openStore } from '../../src/db/sqlite/open.ts'
import { observe } from '../../src/memory/working-memory/changes.ts'
import { WorkingMemoryStore } from '../../src/memory/working-memory/store.ts'

const [mode, folder, count] = process.argv.slice(2) as [string, string, string]
const migrations = resolve(import.meta.dirname, '../../migrations')
const path = join(folder, 'coordination.db')
const file = openSync(join(folder, 'ACK'), 'a')
const acknowledge = (id: string): void => void writeSync(file, `${id}\n`)

if (mode === 'memory') {
  const store = new WorkingMemoryStore({ base: folder, path: '.ai' }, withFileLock)
  for (let n = 0; n < Number(count); n++) {
    const now = new Date(Date.UTC(2026, 0, 30) + n * 1000).toISOString()
    store.update('dev', (memory) => observe(memory, `o${n}`, now), now)
    acknowledge(`o${n}`)
  }
} else if (mode === 'restore') {
  restoreFrom(path, join(folder, 'copy.db'), { aside: `${path}.replaced-1`, patience: 1000 })
  acknowledge('restored')
} else {
  const store = await openStore(path, { migrations })
  // Checkpoints are frequent, and occur in both halves of the work.
  store.connection.pragma('wal_autocheckpoint = 6')
  if (mode === 'normal') store.connection.pragma('synchronous = NORMAL')
  for (let n = 0; n < Number(count); n++) {
    await store.write((db) =>
      db
        .insertInto('sessions')
        .values({ id: `s${n}`, goal: 'x'.repeat(n * 40), status: 'completed', started_at: 'x', ended_at: 'x' })
        .execute(),
    )
    acknowledge(`s${n}`)
  }
  if (mode === 'backup') {
    backupTo(store.connection, join(folder, 'copy.db'))
    acknowledge('backup')
  }
  store.close()
}
closeSync(file)
