import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { worktreeGitFolder } from '../files/paths.ts'
import { replaceFile } from '../files/replace-file.ts'
import { git } from '../git/git.ts'

/** The refs of the repository that a worktree may see. */
export interface VisibleRefs {
  /** A line for each ref with its object, sorted by name, as in git's file of packed refs. */
  readonly text: string
  /** Refs that name another ref (`refs/remotes/origin/HEAD`), with its name. */
  readonly symbolic: readonly (readonly [string, string])[]
  /** Differs as soon as a ref has changed. */
  readonly stamp: string
}

const FOLDERS = ['heads', 'tags', 'remotes', 'notes'] as const

/**
 * Branches, tags, remote branches and notes; the person's stashes and the refs of aiswarm are not shown. With many
 * thousands of them the list is kept in a file, and read again only if a ref has changed.
 */
export const visibleRefs = async (root: string, common: string): Promise<VisibleRefs> => {
  const stamp = stampOf(common)
  const kept = worktreeGitFolder(root, 'refs.json')
  const known = existsSync(kept) ? (JSON.parse(readFileSync(kept, 'utf8')) as VisibleRefs) : undefined
  if (known?.stamp === stamp) return known
  const listed = await git(root, [
    'for-each-ref',
    '--format=%(objectname) %(refname)%00%(symref)',
    ...FOLDERS.map((name) => `refs/${name}`),
  ])
  const lines = listed.split('\n').filter(Boolean)
  const refs: VisibleRefs = {
    text: lines
      .filter((line) => line.endsWith('\0'))
      .map((line) => `${line.slice(0, -1)}\n`)
      .join(''),
    symbolic: lines
      .filter((line) => !line.endsWith('\0'))
      .map((line) => [line.slice(line.indexOf(' ') + 1, line.indexOf('\0')), line.slice(line.indexOf('\0') + 1)]),
    stamp,
  }
  mkdirSync(dirname(kept), { recursive: true, mode: 0o700 })
  replaceFile(kept, JSON.stringify(refs))
  return refs
}

/** Git writes a ref by renaming a file in its folder, and the packed ones by renaming their file. */
const stampOf = (common: string): string => {
  const hash = createHash('sha256')
  const add = (path: string): void => {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    hash.update(`${path} ${stat === undefined ? '-' : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`}\n`)
  }
  const visit = (folder: string): void => {
    if (!existsSync(folder)) return
    add(folder)
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) visit(join(folder, entry.name))
  }
  add(join(common, 'packed-refs'))
  for (const name of FOLDERS) visit(join(common, 'refs', name))
  return hash.digest('hex')
}
