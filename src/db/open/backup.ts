import { chmodSync, closeSync, openSync } from 'node:fs'
import { explain } from '../engine/explain.ts'
import { type Connection, connect, vacuumInto } from '../engine/sqlite.ts'
import { newFile, whyNoFile } from './new-file.ts'

/**
 * Writes a compact copy of the database to a new file, whole or not at all. It is in WAL mode, so that it can replace a
 * database as it is.
 */
export const backupTo = (connection: Connection, path: string): void => {
  const { draft, place, clear } = newFile(path)
  try {
    copyInto(connection, draft)
    place()
  } catch (error) {
    throw whyNoFile(path, error) ?? explain(error, path, 0)
  } finally {
    clear()
  }
}

/** Writes a copy in WAL mode, readable by its owner only; the file must not exist. */
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
}
