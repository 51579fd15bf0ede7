import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openStore, type SqliteStore } from '../../src/db/sqlite/open.ts'
import { isRefusal } from '../../src/domain/rules/refusal.ts'
import { checkDatabase } from '../../src/operations/database/maintenance.ts'
import type { Proof } from './proof.ts'
import { randomFrom } from './random.ts'

const migrations = resolve(import.meta.dirname, '../../migrations')

/** Each seed damages one page of a closed database, then opens, reads, checks and writes it. */
export const corruption: Proof = {
  name: 'corruption',
  shows:
    'A damaged page is reported as damage by every read, write and check; after it was seen nothing more is written.',
  run: async (share) => {
    const folder = mkdtempSync(join(tmpdir(), 'aiswarm-prove-'))
    try {
      const template = join(folder, 'template.db')
      await fill(template)
      const counts = { seeds: share.of(500), 'refused at open': 0, 'found later': 0, 'refused writes': 0 }
      const violations: string[] = []
      for (let seed = 1; seed <= counts.seeds; seed++) {
        const path = join(folder, `seed-${seed}.db`)
        copyFileSync(template, path)
        const damage = damageFile(path, randomFrom(seed))
        const seen = await useDamaged(path)
        if (seen.refusedOpen) counts['refused at open']++
        else if (seen.found) counts['found later']++
        if (seen.refusedWrite) counts['refused writes']++
        violations.push(...seen.violations.map((violation) => `seed ${seed} (${damage}): ${violation}`))
        for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
      }
      return { counts, violations }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

const tables = ['tasks', 'task_status', 'events', 'sessions', 'personas', 'worktrees', 'agents', 'leases'] as const

/** A board of some hundred pages, closed properly: everything is in the main file. */
const fill = async (path: string): Promise<void> => {
  const store = await openStore(path, { migrations })
  const at = '2026-01-30T14:22:33.000Z'
  store.connection.exec(`
    INSERT INTO personas (id, name, role, definition, source, created_at, updated_at) VALUES ('implementer', 'Implementer', 'worker', '{}', 'built-in', '${at}', '${at}');
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
    INSERT INTO tasks (id, title, description, persona_id, priority, created_at) SELECT i, 'task ' || i, hex(zeroblob(300)), 'implementer', i % 100, '${at}' FROM n;
    INSERT OR IGNORE INTO task_status (task_id, status, changed_at) SELECT id, 'pending', '${at}' FROM tasks;
    INSERT INTO sessions (id, goal, status, started_at, ended_at) SELECT 'session-' || id, hex(zeroblob(200)), 'completed', '${at}', '${at}' FROM tasks WHERE id <= 100;
    INSERT INTO events (at, actor, operation, task_id) SELECT '${at}', 'human', 'create_task', id FROM tasks;`)
  store.close()
}

const damageFile = (path: string, random: (below: number) => number): string => {
  const file = readFileSync(path)
  const page = file.readUInt16BE(16) === 1 ? 65_536 : file.readUInt16BE(16)
  const pages = file.length / page
  const at = random(pages) * page
  const noise = (length: number) => Buffer.from(Array.from({ length }, () => random(256)))
  const kinds: readonly (readonly [string, () => void])[] = [
    ['zeroed', () => overwrite(path, at, Buffer.alloc(page))],
    ['noise', () => overwrite(path, at, noise(page))],
    ['torn', () => overwrite(path, at + page / 2, noise(page / 2))],
    ['another page', () => overwrite(path, at, file.subarray(random(pages) * page).subarray(0, page))],
    ['header flipped', () => overwrite(path, at + (at === 0 ? 100 : 0) + random(8), noise(1))],
    ['truncated', () => truncateSync(path, Math.max(page, at))],
  ]
  const [name, apply] = kinds[random(kinds.length)]!
  apply()
  return `page ${at / page + 1} of ${pages} ${name}`
}

const overwrite = (path: string, at: number, bytes: Buffer): void => {
  const file = openSync(path, 'r+')
  try {
    writeSync(file, bytes, 0, bytes.length, at)
  } finally {
    closeSync(file)
  }
}

interface Seen {
  readonly refusedOpen: boolean
  readonly found: boolean
  readonly refusedWrite: boolean
  readonly violations: readonly string[]
}

const useDamaged = async (path: string): Promise<Seen> => {
  const violations: string[] = []
  /** The result of a step: 'done', or the code of its refusal. */
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<string> => {
    try {
      await work()
      return 'done'
    } catch (error) {
      if (isRefusal(error)) return error.code
      violations.push(`${what}: ${error instanceof Error ? error.message : String(error)} is called a bug`)
      return 'bug'
    }
  }
  let store: SqliteStore | undefined
  const opened = await attempt('open', async () => (store = await openStore(path, { migrations })))
  if (!store) return { refusedOpen: true, found: true, refusedWrite: false, violations }
  const open = store
  const outcomes = [opened]
  try {
    for (const table of tables)
      outcomes.push(await attempt(`read ${table}`, () => open.read.selectFrom(table).selectAll().execute()))
    outcomes.push(
      await attempt('read by index', () =>
        open.read.selectFrom('task_status').selectAll().where('status', '=', 'pending').execute(),
      ),
    )
    let sound = true
    await attempt('db check', async () => (sound = !(await checkDatabase({ store: open })).damaged))
    const found = !sound || outcomes.includes('database_corrupt')
    if (outcomes.includes('database_corrupt') && sound)
      violations.push('db check calls sound what a read called damaged')
    const size = statSync(path + '-wal', { throwIfNoEntry: false })?.size ?? 0
    const written = await attempt('write', () =>
      open.write((db) =>
        db.insertInto('sessions').values({ id: 'late', status: 'completed', started_at: 'x', ended_at: 'x' }).execute(),
      ),
    )
    if (found && written === 'done') violations.push('a write was accepted after the damage was seen')
    if (found && (statSync(path + '-wal', { throwIfNoEntry: false })?.size ?? 0) !== size)
      violations.push('a refused write reached the file')
    return { refusedOpen: false, found, refusedWrite: written === 'database_corrupt', violations }
  } finally {
    await attempt('close', async () => open.close())
  }
}
