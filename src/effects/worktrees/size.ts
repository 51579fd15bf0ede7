import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorktreeSize } from '../../contracts/observations.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'

/** The bytes that a folder takes on the disk, and whether everything was counted. */
export interface Size {
  readonly bytes: number
  readonly complete: boolean
}

/** The most entries counted at a time, over all worktrees; about five seconds on two cores. */
const MOST = 200_000

/** Entries that are read at a time: enough to keep the disk busy, few enough that other work can run. */
const AT_ONCE = 64

/** The disk space of a folder, with hard links counted once, without mounted file systems. Links are not followed. */
export const sizeOf = async (folder: string, most = MOST): Promise<Size> => {
  const { dev } = await lstat(folder)
  const linked = new Set<string>()
  const waiting = [folder]
  let bytes = 0
  let seen = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    // A deleted folder takes no space.
    const entries = await readdir(at).catch(() => [])
    for (let from = 0; from < entries.length; from += AT_ONCE) {
      if (seen >= most) return { bytes, complete: false }
      const paths = entries.slice(from, from + Math.min(AT_ONCE, most - seen)).map((name) => join(at, name))
      seen += paths.length
      const stats = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)))
      for (const [index, stat] of stats.entries()) {
        if (stat === undefined || stat.dev !== dev) continue
        if (stat.isDirectory()) waiting.push(paths[index]!)
        else if (stat.nlink > 1) {
          if (linked.has(String(stat.ino))) continue
          linked.add(String(stat.ino))
        }
        bytes += stat.blocks * 512
      }
    }
  }
  return { bytes, complete: true }
}

/** Measures worktrees one after the other; within `fresh` ms it returns the previous result. */
export const worktreeMeasurer = (fresh = 10_000, now = (): number => performance.now()) => {
  const found = new Map<string, { readonly at: number; readonly size: Promise<Size> }>()
  const measure = (path: string, most: number): Promise<Size> => {
    const known = found.get(path)
    if (known && now() - known.at < fresh) return known.size
    const size = sizeOf(path, most)
    found.set(path, { at: now(), size })
    size.catch(() => found.delete(path))
    return size
  }
  return async (worktrees: readonly WorktreeView[]): Promise<readonly WorktreeSize[]> => {
    const sizes: WorktreeSize[] = []
    const standing = worktrees.filter(({ folder }) => folder === 'ready')
    const most = Math.floor(MOST / Math.max(1, standing.length))
    for (const { name, path } of standing) {
      const size = await measure(path, most).catch(() => undefined)
      if (size) sizes.push({ name, ...size })
    }
    return sizes
  }
}
