import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// The possible contents of a disk after a power failure: everything that was synced, and any part of the rest, in any
// order.

/** One call in the record of the shim. */
export interface Done {
  readonly kind: 'W' | 'T' | 'S' | 'C' | 'R' | 'L' | 'U'
  /** Paths are relative to the watched folder. */
  readonly path: string
  readonly to: string
  readonly data: Buffer
  readonly offset: number
}

export const readLog = (log: Buffer, folder: string): readonly Done[] => {
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

export class Disk {
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
