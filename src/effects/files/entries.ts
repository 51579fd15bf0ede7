import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

// The entries of a folder, under the exact bytes of their names.

export interface Entry {
  /** Relative to the folder that was walked. */
  readonly path: Bytes
  /** `special`: a socket, a pipe or a device, which cannot be archived. */
  readonly kind: 'file' | 'link' | 'folder' | 'special'
  /** Permissions. */
  readonly mode: number
  readonly size: number
  /** The target of a link; empty for other entries. */
  readonly target: Bytes
  /** Differs if the content may have changed. */
  readonly stamp: string
}

/** A path or a link's target as the file system stores it, one character per byte, because names need not be UTF-8. */
export type Bytes = string

/**
 * All entries of a folder, parents first. Links are never followed, and folders for which `skip` returns true are not
 * entered.
 */
export const walkFolder = async (
  folder: string,
  { from = '', skip = () => false }: { from?: Bytes; skip?: (path: Bytes) => boolean } = {},
): Promise<Entry[]> => {
  const entries: Entry[] = []
  const pause = breather()
  const visit = async (path: Bytes): Promise<void> => {
    for (const name of readdirSync(pathIn(folder, path), { encoding: 'latin1' }).sort()) {
      const inner = path === '' ? name : `${path}/${name}`
      const entry = entryOf(folder, inner)
      // Deleted since it was listed.
      if (entry === undefined) continue
      entries.push(entry)
      await pause()
      if (entry.kind === 'folder' && !skip(inner)) await visit(inner)
    }
  }
  await visit(from)
  return entries
}

export const entryOf = (folder: string, path: Bytes): Entry | undefined => {
  const stats = lstatSync(pathIn(folder, path), { bigint: true, throwIfNoEntry: false })
  if (stats === undefined) return undefined
  const kind = kindOf(stats)
  return {
    path,
    kind,
    mode: Number(stats.mode & 0o7777n),
    size: kind === 'file' ? Number(stats.size) : 0,
    target: kind === 'link' ? readlinkSync(pathIn(folder, path), { encoding: 'latin1' }) : '',
    stamp: kind === 'folder' ? '' : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`,
  }
}

const kindOf = (stats: BigIntStats): Entry['kind'] => {
  if (stats.isSymbolicLink()) return 'link'
  if (stats.isDirectory()) return 'folder'
  return stats.isFile() ? 'file' : 'special'
}

/** Yields to the event loop after 5 ms of work, because the console draws in the same process. */
export const breather = (): (() => Promise<void>) => {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < 5) return
    await setImmediate()
    since = performance.now()
  }
}

export const bytesOf = (text: string): Bytes => Buffer.from(text, 'utf8').toString('latin1')
export const textOf = (bytes: Bytes): string => Buffer.from(bytes, 'latin1').toString('utf8')

/** True if converting to text and back loses nothing. */
export const isText = (bytes: Bytes): boolean => bytesOf(textOf(bytes)) === bytes

/** The path of an entry in a folder, as bytes for the file system. */
export const pathIn = (folder: string, path: Bytes): Buffer =>
  path === '' ? Buffer.from(folder) : Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')])

/** Quotes a path as git expects it in a list of one path per line. */
export const quoted = (path: Buffer): string =>
  `"${[...path].map((byte) => (byte > 31 && byte < 127 && byte !== 34 && byte !== 92 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`)).join('')}"`

/** The parent folder of a path, empty at the top. */
export const parentOf = (path: Bytes): Bytes => path.slice(0, Math.max(0, path.lastIndexOf('/')))
