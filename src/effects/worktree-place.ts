import { lstatSync, mkdirSync, readlinkSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Refusal } from '../domain/refusal.ts'
import { placeOf } from './git-place.ts'
import { runFolder } from './places.ts'
import { readRegular } from './regular-file.ts'

// An agent owns its worktree's folder and can put another thing in its place: a link to the main checkout, or a folder of
// its own making. What is started in the worktree later would then work there.

interface Worktree {
  readonly name: string
  readonly path: string
}

/** Remembers the folder of a worktree as aiswarm has just made it. */
export const rememberPlace = (root: string, worktree: Worktree): void => write(root, worktree.name, stampOf(worktree))

/**
 * Refuses to start anything in a worktree whose folder is a link, lies behind one, is another folder than the one that was
 * made, or whose `.git` points elsewhere. One that an older aiswarm made is remembered as it is found first.
 */
export const checkPlace = (root: string, worktree: Worktree): void => {
  if (!refuseLinks(worktree)) return
  const place = placeOf(worktree.path)
  if (place === undefined) throw replaced(worktree, 'has no .git any more')
  if (basename(dirname(place.gitDir)) !== 'worktrees') throw replaced(worktree, 'is no linked worktree any more')
  const known = readRegular(recordOf(root, worktree.name))
  const found = stampOf(worktree)
  if (known === undefined) write(root, worktree.name, found)
  else if (known.split('\n')[0] !== found.split('\n')[0]) throw replaced(worktree, 'is another folder than the one that aiswarm made', recordOf(root, worktree.name))
  else if (known !== found) throw replaced(worktree, `has a .git that points elsewhere, to ${place.gitDir}`)
}

/** Refuses a folder that is a link, or lies behind one; false where there is none, of which others say better why. */
export const refuseLinks = (worktree: Worktree): boolean => {
  const entry = lstatSync(worktree.path, { throwIfNoEntry: false })
  if (entry === undefined) return false
  if (entry.isSymbolicLink()) throw replaced(worktree, `is a link to ${readlinkSync(worktree.path)}`)
  if (!entry.isDirectory()) throw replaced(worktree, 'is not a folder')
  const straight = join(realpathSync(dirname(worktree.path)), basename(worktree.path))
  if (realpathSync(worktree.path) !== straight) throw replaced(worktree, `leads to ${realpathSync(worktree.path)}`)
  return true
}

/** Device and inode; the git folder that it points at. */
const stampOf = ({ path }: Worktree): string => {
  const { dev, ino } = lstatSync(path, { bigint: true })
  return `${dev} ${ino}\n${placeOf(path)?.gitDir ?? ''}\n`
}

const recordOf = (root: string, name: string): string => join(runFolder(root), `${name}.worktree`)

const write = (root: string, name: string, stamp: string): void => {
  mkdirSync(runFolder(root), { recursive: true, mode: 0o700 })
  const draft = `${recordOf(root, name)}.${process.pid}`
  writeFileSync(draft, stamp, { mode: 0o600 })
  renameSync(draft, recordOf(root, name))
}

const replaced = ({ name, path }: Worktree, how: string, record?: string): Refusal =>
  new Refusal(
    'git_misled',
    `Nothing is started in worktree ${name}: ${path} ${how}. Put the worktree back${record === undefined ? '' : `, or remove ${record} if you have moved it there yourself`}, then try again.`,
  )
