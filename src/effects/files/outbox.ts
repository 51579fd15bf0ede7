import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { runFolder } from './paths.ts'
import { readRegular } from './regular-file.ts'

// Notes that could not be written on the board: a file per agent with a line per note, on the disk before its agent is
// answered. Agents write them beside each other, and the loops of the host deliver them.

/** The most bytes of all notes of a host. */
const MOST = 10 * 1024 ** 2

const folderOf = (root: string): string => join(runFolder(root), 'spool')

/** Appends a line to the file of a name; false if there is no room for it. */
export const spool = (root: string, name: string, value: object): boolean => {
  const folder = folderOf(root)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const line = Buffer.from(`${JSON.stringify({ id: randomUUID(), ...value })}\n`)
  const used = readdirSync(folder).reduce((sum, file) => sum + (sizeOf(join(folder, file)) ?? 0), 0)
  if (used + line.length > MOST) return false
  const path = join(folder, `${name}.jsonl`)
  // A file that was delivered and removed meanwhile would take the line with it.
  while (!append(path, line));
  return true
}

/** False if the file is another one by the end. */
const append = (path: string, line: Buffer): boolean => {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  try {
    writeSync(file, line)
    fsyncSync(file)
    return existsSync(path) && statSync(path).ino === fstatSync(file).ino
  } finally {
    closeSync(file)
  }
}

const sizeOf = (path: string): number | undefined => {
  try {
    return statSync(path).size
  } catch {
    return undefined
  }
}

/** The files that hold notes. */
export const spooled = (root: string): readonly string[] => {
  const folder = folderOf(root)
  return existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : []
}

/** Calls `deliver` with each line of a file, then removes it, unless it has grown meanwhile. */
export const unspool = async (path: string, deliver: (line: string) => Promise<void>): Promise<void> => {
  const text = readRegular(path) ?? ''
  // The last line may still be being written.
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) if (line !== '') await deliver(line)
  if (sizeOf(path) === Buffer.byteLength(text)) rmSync(path, { force: true })
}
