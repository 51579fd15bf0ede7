import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { aiswarmFolder, runFolder } from '../files/paths.ts'
import { replaceFile } from '../files/replace-file.ts'

// A clone remembers the board on a server that it has used. If it is missing later, the server is being restored or is
// another one, and an empty board there would pass for the former.

const usedPath = (root: string): string => join(runFolder(root), 'board')

/** True if the last board on a server that this clone had open is that of the schema. */
export const hasUsed = (root: string, schema: string): boolean =>
  existsSync(usedPath(root)) && readFileSync(usedPath(root), 'utf8').trim() === schema

export const rememberUsed = (root: string, schema: string): void => {
  // Maintenance opens a board without making the folder of aiswarm.
  if (hasUsed(root, schema) || !existsSync(aiswarmFolder(root))) return
  mkdirSync(runFolder(root), { recursive: true, mode: 0o700 })
  replaceFile(usedPath(root), `${schema}\n`)
}
