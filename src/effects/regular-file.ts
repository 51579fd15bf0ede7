import { readFileSync, statSync } from 'node:fs'

/** The text of a file; undefined where there is none. A pipe that an agent has put in its place would keep its reader waiting for ever. */
export const readRegular = (path: string): string | undefined => (statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : undefined)
