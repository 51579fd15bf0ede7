/** A lock between processes for surfaces that keep files; the layer of rows has the means. */
export { withFileLock } from '../../db/file-lock.ts'
