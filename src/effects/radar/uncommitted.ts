import { accessSync, constants, lstatSync, readFileSync, type Stats } from 'node:fs'
import { holdsSecret, isSecretFile } from '../../domain/words/secrets.ts'
import type { FilePath } from '../files/file-stamps.ts'

/** A line of git's status; the name in bytes, one character per byte. */
export interface Entry {
  readonly code: string
  readonly name: string
}

/** Longer files are left out (bytes): agents leave build output around, and each file would be copied. */
const LONG = 8 * 1024 * 1024

/** More untracked files are left out. */
const MOST_UNTRACKED = 2000

/** The changes to the index, from git's status and the files in the folder. */
export const indexChanges = (path: string, entries: readonly Entry[]) => {
  const [removed, added]: [string[], string[]] = [[], []]
  const left = { long: 0, unreadable: 0, untracked: 0 }
  let untracked = 0
  for (const { code, name } of entries) {
    const stat = code[1] === 'D' ? undefined : lstatOf(bytesOf(path, name))
    if (code === '??' && (stat === undefined || name.endsWith('/'))) continue
    if (code === '??' && ++untracked > MOST_UNTRACKED) left.untracked++
    else if (code[1] === ' ') continue
    else if (stat === undefined) removed.push(name)
    else if (stat.isFile() && stat.size > LONG) left.long++
    else if (
      !(stat.isFile() || stat.isSymbolicLink() || stat.isDirectory()) ||
      (stat.isFile() && !isReadable(bytesOf(path, name)))
    )
      left.unreadable++
    else added.push(name)
  }
  const remarks = [
    ...(left.long > 0 ? [`${left.long} larger than 8 MB`] : []),
    ...(left.unreadable > 0 ? [`${left.unreadable} that cannot be read`] : []),
    ...(left.untracked > 0 ? [`${left.untracked} more untracked`] : []),
  ]
  return { removed, added, remark: remarks.length === 0 ? null : `files not compared: ${remarks.join(', ')}` }
}

/** The names of files that stay on this machine: those that seem to contain secrets, and those that are too long. */
export interface LeftOut {
  readonly secret: readonly string[]
  readonly long: readonly string[]
}

/** Of these entries, in the folder or staged. One that cannot be read is not trusted. */
export const leftOutOf = (path: string, entries: readonly Entry[]): LeftOut => {
  const names = entries.map(({ name }) => name)
  const secret = names.filter((name) => isSecret(path, name))
  return { secret, long: names.filter((name) => !secret.includes(name) && isLong(bytesOf(path, name))) }
}

const isLong = (file: FilePath): boolean => {
  const stat = lstatOf(file)
  return stat !== undefined && stat.isFile() && stat.size > LONG
}

const isSecret = (path: string, name: string): boolean => {
  if (isSecretFile(name)) return true
  const file = bytesOf(path, name)
  const stat = lstatOf(file)
  // Long files are left out anyway, other rules leave out folders, and a deletion has no content.
  if (stat === undefined || !stat.isFile() || stat.size > LONG) return false
  try {
    return holdsSecret(readFileSync(file, 'latin1'))
  } catch {
    return true
  }
}

const lstatOf = (path: FilePath): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const isReadable = (path: FilePath): boolean => {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** The path of a file from git's name in bytes. */
export const bytesOf = (path: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name, 'latin1')])
