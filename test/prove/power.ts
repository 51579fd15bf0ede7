import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { findDamage } from '../../src/db/sqlite/damage.ts'
import { openStore } from '../../src/db/sqlite/open.ts'
import { checkDatabase } from '../../src/operations/database/maintenance.ts'
import { type Proof, requirePrograms } from './proof.ts'
import { randomFrom } from './random.ts'

const migrations = resolve(import.meta.dirname, '../../migrations')

/** Power failures for each kind of work. */
const FAILURES = 250

export const power: Proof = {
  name: 'power',
  shows:
    'After a power failure that drops what was not synced, at any moment, everything acknowledged is there and nothing is damaged: the database, working memory, a backup, a restore. With synchronous=NORMAL the same harness finds losses.',
  run: async (share) => {
    requirePrograms('cc')
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aiswarm-prove-')))
    try {
      const shim = join(folder, 'shim.so')
      execFileSync('cc', [
        '-shared',
        '-fPIC',
        '-O1',
        '-w',
        '-o',
        shim,
        join(import.meta.dirname, 'power-shim.c'),
        '-ldl',
        '-lpthread',
      ])
      const counts = { failures: 0, 'losses in the control': 0 }
      const violations: string[] = []
      for (const work of works) {
        const found = await failOften(join(folder, work.mode), shim, work, share.of(FAILURES))
        if (work.mode === 'normal') counts['losses in the control'] = found.length
        else {
          counts.failures += share.of(FAILURES)
          violations.push(...found.map((violation) => `${work.mode}, ${violation}`))
        }
      }
      if (counts['losses in the control'] === 0)
        violations.push('The control with synchronous=NORMAL lost nothing, so this harness proves nothing.')
      return { counts, violations }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

interface Work {
  readonly mode: 'database' | 'normal' | 'memory' | 'backup' | 'restore'
  readonly count: number
  /** The loss or damage in a folder, given the acknowledged work. */
  readonly losses: (folder: string, acknowledged: readonly string[]) => Promise<readonly string[]>
}

const missing = (acknowledged: readonly string[], there: readonly string[]): readonly string[] =>
  acknowledged.filter((id) => !there.includes(id)).map((id) => `${id} was acknowledged and is lost`)

const inDatabase = async (folder: string, acknowledged: readonly string[]): Promise<readonly string[]> => {
  const store = await openStore(join(folder, 'coordination.db'), { migrations })
  try {
    const there = (await store.read.selectFrom('sessions').select('id').execute()).map(({ id }) => id)
    return [...(await checkDatabase({ store })).findings, ...missing(acknowledged, there)]
  } finally {
    store.close()
  }
}

const inMemory: Work['losses'] = async (folder, acknowledged) => {
  const path = join(folder, '.ai', 'working_memory_dev.json')
  if (!existsSync(path)) return missing(acknowledged, [])
  const memory = JSON.parse(readFileSync(path, 'utf8')) as { observations: readonly { content: string }[] }
  return missing(
    acknowledged,
    memory.observations.map(({ content }) => content),
  )
}

const inBackup: Work['losses'] = async (folder, acknowledged) => {
  const board = await inDatabase(
    folder,
    acknowledged.filter((id) => id !== 'backup'),
  )
  const path = join(folder, 'copy.db')
  if (!existsSync(path))
    return [
      ...board,
      ...missing(
        acknowledged,
        acknowledged.filter((id) => id !== 'backup'),
      ),
    ]
  const copy = new Database(path)
  const damage = findDamage(copy)
  copy.close()
  return [...board, ...damage.map((finding) => `the backup: ${finding}`)]
}

/**
 * The board is the old one or the restored one, complete: the restored one once it was acknowledged, with the old one
 * next to it.
 */
const inRestored: Work['losses'] = async (folder, acknowledged) => {
  const store = await openStore(join(folder, 'coordination.db'), { migrations })
  const ids = (await store.read.selectFrom('sessions').select('id').execute()).map(({ id }) => id)
  const { findings } = await checkDatabase({ store })
  store.close()
  const losses = [...findings]
  if (ids.join() !== 'old' && ids.join() !== 'backed-up') losses.push(`the board has the sessions ${ids.join()}`)
  if (acknowledged.includes('restored') && ids.join() !== 'backed-up')
    losses.push('the restore was acknowledged and is not there')
  if (ids.join() === 'backed-up' && !existsSync(join(folder, 'coordination.db.replaced-1')))
    losses.push('the replaced database is gone')
  return losses
}

const works: readonly Work[] = [
  { mode: 'database', count: 40, losses: inDatabase },
  { mode: 'normal', count: 40, losses: inDatabase },
  { mode: 'memory', count: 25, losses: inMemory },
  { mode: 'backup', count: 4, losses: inBackup },
  { mode: 'restore', count: 1, losses: inRestored },
]

const failOften = async (folder: string, shim: string, work: Work, failures: number): Promise<readonly string[]> => {
  const place = join(folder, 'place')
  await prepare(place, work)
  const before = filesIn(place)
  const log = join(folder, 'log')
  execFileSync(process.execPath, [join(import.meta.dirname, 'power-writer.ts'), work.mode, place, String(work.count)], {
    env: { ...process.env, LD_PRELOAD: shim, POWER_DIR: place, POWER_LOG: log },
  })
  const done = readLog(readFileSync(log), place)
  const losses: string[] = []
  // The control continues until it has lost something: a small share would else say that it cannot.
  const enough = (seed: number): boolean => seed > (work.mode === 'normal' && losses.length === 0 ? FAILURES : failures)
  for (let seed = 1; !enough(seed); seed++) {
    const random = randomFrom(seed)
    const until = random(done.length + 1)
    const after = join(folder, `after-${seed}`)
    const acknowledged = layAfter(before, done.slice(0, until), after, random)
    try {
      losses.push(
        ...(await work.losses(after, acknowledged)).map((loss) => `seed ${seed}, after call ${until}: ${loss}`),
      )
    } catch (error) {
      losses.push(`seed ${seed}, after call ${until}: ${error instanceof Error ? error.message : String(error)}`)
    }
    rmSync(after, { recursive: true, force: true })
  }
  return losses
}

/** Writes what the disk contains after these calls; returns the work that was acknowledged before the power failed. */
const layAfter = (
  before: ReadonlyMap<string, Buffer>,
  done: readonly Done[],
  folder: string,
  random: (below: number) => number,
): readonly string[] => {
  const disk = new Disk(before)
  let said = ''
  for (const one of done) {
    if (one.path === 'ACK') said += one.kind === 'W' ? one.data.toString() : ''
    // Memory that processes share is not on any disk.
    else if (!one.path.endsWith('-shm')) disk.apply(one)
  }
  mkdirSync(folder, { recursive: true })
  disk.lay(folder, random)
  return said.split('\n').filter(Boolean)
}

const prepare = async (place: string, { mode }: Work): Promise<void> => {
  mkdirSync(join(place, '.ai'), { recursive: true })
  if (mode === 'memory') return
  const path = join(place, 'coordination.db')
  const store = await openStore(path, { migrations })
  if (mode === 'restore') {
    const { backupTo } = await import('../../src/db/sqlite/backup.ts')
    store.connection.exec(
      "INSERT INTO sessions (id, status, started_at, ended_at) VALUES ('backed-up', 'completed', 'x', 'x')",
    )
    backupTo(store.connection, join(place, 'copy.db'))
    store.connection.exec("UPDATE sessions SET id = 'old'")
  }
  store.close()
}

const filesIn = (folder: string): ReadonlyMap<string, Buffer> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => [relative(folder, path), readFileSync(path)]),
  )

// The possible contents of a disk after a power failure: everything that was synced, and any part of the rest, in any
// order.

/** One call in the record of the shim. */
interface Done {
  readonly kind: 'W' | 'T' | 'S' | 'C' | 'R' | 'L' | 'U'
  /** Paths are relative to the watched folder. */
  readonly path: string
  readonly to: string
  readonly data: Buffer
  readonly offset: number
}

const readLog = (log: Buffer, folder: string): readonly Done[] => {
  const done: Done[] = []
  const relative = (path: string): string => (path.startsWith(folder) ? path.slice(folder.length + 1) : path)
  for (let at = 0; at < log.length;) {
    const [one, two, size] = [log.readUInt32LE(at + 1), log.readUInt32LE(at + 5), log.readUInt32LE(at + 9)]
    const kind = String.fromCharCode(log[at]!) as Done['kind']
    const offset = Number(log.readBigUInt64LE(at + 13))
    at += 21
    const path = relative(log.toString('utf8', at, at + one))
    const to = relative(log.toString('utf8', at + one, at + one + two))
    done.push({ kind, path, to, data: log.subarray(at + one + two, at + one + two + size), offset })
    at += one + two + size
  }
  return done
}

interface File {
  durable: Buffer
  /** Writes and truncations since the last sync. */
  pending: Done[]
}

class Disk {
  /** Names as every process sees them, and as they are durable. */
  readonly #names = new Map<string, File>()
  #durable = new Map<string, File>()
  /** Changes of names since the last sync of their folder. */
  #changes: { readonly folder: string; readonly apply: (names: Map<string, File>) => void }[] = []

  constructor(files: ReadonlyMap<string, Buffer>) {
    for (const [name, content] of files) this.#names.set(name, { durable: content, pending: [] })
    this.#durable = new Map(this.#names)
  }

  apply(done: Done): void {
    const { kind, path, to } = done
    const file = this.#names.get(path)
    if (kind === 'W' || kind === 'T') file?.pending.push(done)
    else if (kind === 'S') this.#sync(done)
    else if (kind === 'C' && file) file.pending.push({ ...done, kind: 'T', offset: 0 })
    else if (kind === 'C') {
      const made: File = { durable: Buffer.alloc(0), pending: [] }
      this.#rename(path, (names) => names.set(path, made))
    } else if (kind === 'U') this.#rename(path, (names) => names.delete(path))
    else if (file) {
      this.#rename(to, (names) => {
        names.set(to, file)
        if (kind === 'R') names.delete(path)
      })
    }
  }

  /**
   * Writes into `folder` what the disk may contain if the power fails now. `random(n)` decides which unsynced parts
   * are there.
   */
  lay(folder: string, random: (below: number) => number): void {
    const names = new Map(this.#durable)
    // The journal of a file system keeps the order of names: a prefix of them is there.
    const kept = random(2) === 0 ? 0 : random(this.#changes.length + 1)
    this.#changes.slice(0, kept).forEach(({ apply }) => apply(names))
    const mood = random(3)
    for (const [name, { durable, pending }] of names) {
      let content = durable
      for (const change of pending)
        if (mood === 1 || (mood === 2 && random(2) === 0))
          content = changed(content, change, mood === 2 && random(4) === 0 ? random(8) : 8)
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), content)
    }
  }

  #rename(path: string, apply: (names: Map<string, File>) => void): void {
    apply(this.#names)
    this.#changes.push({ folder: dirname(path), apply })
  }

  #sync({ path, data, offset }: Done): void {
    const file = this.#names.get(path)
    if (file) {
      file.durable =
        offset === 1 ? data : file.pending.reduce((content, change) => changed(content, change, 8), file.durable)
      file.pending = []
      return
    }
    const mine = (folder: string): boolean => folder === (path === '' ? '.' : path)
    for (const { folder, apply } of this.#changes) if (mine(folder)) apply(this.#durable)
    this.#changes = this.#changes.filter(({ folder }) => !mine(folder))
  }
}

/** `eighths` of a write reach the disk, in whole sectors. */
const changed = (content: Buffer, { kind, data, offset }: Done, eighths: number): Buffer => {
  if (kind === 'T')
    return offset <= content.length
      ? content.subarray(0, offset)
      : Buffer.concat([content, Buffer.alloc(offset - content.length)])
  const length = eighths === 8 ? data.length : Math.floor((data.length * eighths) / 8 / 512) * 512
  const result = Buffer.alloc(Math.max(content.length, offset + length))
  content.copy(result)
  data.copy(result, offset, 0, length)
  return result
}
