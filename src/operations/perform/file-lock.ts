/** A lock between processes for surfaces that write files; its implementation is in the database layer. */
export { withFileLock } from '../../db/sqlite/file-lock.ts'
