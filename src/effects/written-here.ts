import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runFolder } from './places.ts'

// The supervisor and a command that ends a session write the same files, from processes of their own: what any of them is
// about to write is noted, so that none takes the work of another for that of a stranger.

/** Bytes: a thousand notes or so; what is older than the last hundred nobody asks for. */
const MOST = 1 << 16
const KEPT = 100

const pathOf = (root: string): string => join(runFolder(root), 'session-files')

/** Notes that a process of ours writes a file of this hash. */
export const noteWriting = (root: string, hash: string): void => {
  const path = pathOf(root)
  mkdirSync(runFolder(root), { recursive: true, mode: 0o700 })
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST) writeFileSync(path, notes(root).slice(-KEPT).join(''))
  appendFileSync(path, `${hash}\n`)
}

/** Whether a file of this hash was lately written by a process of ours. */
export const isWrittenHere = (root: string, hash: string): boolean => notes(root).includes(`${hash}\n`)

const notes = (root: string): readonly string[] => {
  const path = pathOf(root)
  return statSync(path, { throwIfNoEntry: false }) ? (readFileSync(path, 'utf8').match(/^.*\n/gm) ?? []) : []
}
