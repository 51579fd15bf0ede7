import { readFileSync, statSync } from 'node:fs'

/**
 * The text of a regular file, or undefined. A pipe that an agent has put in its place would block its reader forever.
 */
export const readRegular = (path: string): string | undefined =>
  statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : undefined
