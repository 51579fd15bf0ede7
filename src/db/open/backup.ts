import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, linkSync, openSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { explain } from '../engine/explain.ts'
import { syncPath } from '../engine/durable.ts'
import { type Connection, connect, vacuumInto } from '../engine/sqlite.ts'

/**
 * Writes a compact copy of the database to a new file, whole or not at all: the copy is written under another name,
 * synced, and then renamed. It is in WAL mode, so that it can replace a database as it is.
 */
export const backupTo = (connection: Connection, path: string): void => {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    copyInto(connection, draft)
    // A hard link fails if the name was taken meanwhile, whereas a rename would overwrite.
    linkSync(draft, path)
  } catch (error) {
    throw whyNoBackup(path, error)
  } finally {
    rmSync(draft, { force: true })
  }
  syncPath(dirname(path))
}

/** Writes a synced copy in WAL mode, readable by its owner only; the file must not exist. */
const copyInto = (connection: Connection, path: string): void => {
  // Created before SQLite writes to it, so that other users can never read the copy.
  closeSync(openSync(path, 'wx', 0o600))
  vacuumInto(connection, path)
  const copy = connect(path)
  try {
    copy.pragma('journal_mode = WAL')
  } finally {
    copy.close()
  }
  chmodSync(path, 0o600)
  syncPath(path)
}

const whyNoBackup = (path: string, error: unknown): unknown => {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return new Refusal('path_exists', `${path} already exists. Name a new file.`)
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new Refusal('not_writable', `There is no folder ${dirname(path)}. Create it, or name another file.`, {
      cause: error,
    })
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return new Refusal('not_writable', `${dirname(path)} cannot be written (${code}). Name a file in another folder.`, {
      cause: error,
    })
  return explain(error, path, 0)
}
