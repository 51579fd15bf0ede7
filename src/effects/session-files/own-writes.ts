import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runFolder } from '../files/paths.ts'

// The supervisor and a command that ends a session write the same files from separate processes: each notes the content
// it is about to write, so that no other process of aiswarm reports it as a foreign change.

/** Room for about a thousand notes (bytes); only the last hundred matter. */
const MOST = 1 << 16
const KEPT = 100

const pathOf = (root: string): string => join(runFolder(root), 'session-files')

/** Notes that a process of aiswarm writes a file of a session, with this hash. */
export const noteOwnWrite = (root: string, session: string, hash: string): void => {
  const path = pathOf(root)
  mkdirSync(runFolder(root), { recursive: true, mode: 0o700 })
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST)
    writeFileSync(path, notes(root).slice(-KEPT).join(''))
  appendFileSync(path, `${hash} ${session}\n`)
}

/** True if a process of aiswarm has lately written a file with this hash. */
export const isOwnWrite = (root: string, hash: string): boolean =>
  notes(root).some((note) => note.startsWith(`${hash} `))

/** True if a process of aiswarm has written the files of this session before. */
export const wasWritten = (root: string, session: string): boolean =>
  notes(root).some((note) => note.endsWith(` ${session}\n`))

const notes = (root: string): readonly string[] => {
  const path = pathOf(root)
  return statSync(path, { throwIfNoEntry: false }) ? (readFileSync(path, 'utf8').match(/^.*\n/gm) ?? []) : []
}
