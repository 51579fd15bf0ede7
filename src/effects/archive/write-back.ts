import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { type Bytes, entryOf, pathIn, walkFolder } from '../files/entries.ts'
import { firstDifference } from './check.ts'
import { extractTar, extractTree, makeFolder } from './extract.ts'
import type { Archive, ArchivedEntry } from './record.ts'
import { git } from '../git/git.ts'
import { tarFolder } from '../files/paths.ts'

/**
 * Fills a worktree's empty folder that git has just created, and git's own folder of it, from an archive, and verifies
 * the files.
 */
export const writeBack = async (
  root: string,
  { commit, recordCommit, record }: Archive,
  { folder, admin, head, scratch }: { folder: string; admin: string; head: string; scratch: string },
): Promise<void> => {
  const entries = record.entries.map((entry) => ({ ...entry, path: besideGit(entry.path) }))
  await extractTree(root, commit, { into: folder, scratch, format: record.format })
  for (const { path, kind } of entries) if (kind === 'folder') makeFolder(folder, path)
  for (const path of record.adminFolders) makeFolder(admin, path)
  if (record.tar !== null) {
    await extractTar(join(tarFolder(root), record.tar.file), (path) =>
      path.startsWith('admin/')
        ? { folder: admin, path: path.slice('admin/'.length) }
        : { folder, path: besideGit(path.slice('files/'.length)) },
    )
  }
  setModes(folder, entries)
  const wrong = await firstDifference(folder, entries, record.format)
  if (wrong !== undefined) throw new Refusal('archive_failed', `${wrong} was not restored unchanged`)
  if (record.admin) await adminBack(root, recordCommit, { admin, scratch, format: record.format })
  else if (record.head.oid !== null)
    await git(root, ['read-tree', record.head.oid], { environment: { GIT_INDEX_FILE: join(admin, 'index') } })
  writeFileSync(join(admin, 'HEAD'), `${head}\n`)
}

/** An entry that had replaced the worktree's `.git` file is restored under another name, next to the right one. */
const besideGit = (path: Bytes): Bytes =>
  path === '.git' || path.startsWith('.git/') ? `.git.archived${path.slice('.git'.length)}` : path

/** Sets modes from the inside out, so that a read-only folder is closed last. */
const setModes = (folder: string, entries: readonly ArchivedEntry[]): void => {
  for (const { path, kind, mode } of [...entries].reverse()) {
    if (kind !== 'link' && entryOf(folder, path)?.mode !== mode) chmodSync(pathIn(folder, path), mode)
  }
}

/** Names that locate a worktree, of which only the new ones are right, and locks, whose holders are gone. */
const notBrought = /^(gitdir|commondir|locked|HEAD|.*\.lock)$/

/** Git's own files of the worktree: the index, the reflog, a merge or a rebase in progress. */
const adminBack = async (
  root: string,
  recordCommit: string,
  { admin, scratch, format }: { admin: string; scratch: string; format: 'sha1' | 'sha256' },
): Promise<void> => {
  const into = join(scratch, 'admin')
  await extractTree(root, `${recordCommit}:admin`, { into, scratch, format })
  // The files that git wrote for the new worktree are replaced.
  for (const name of ['index', 'ORIG_HEAD', 'logs']) rmSync(join(admin, name), { recursive: true, force: true })
  for (const { path, kind } of await walkFolder(into)) {
    if (notBrought.test(path)) continue
    if (kind === 'folder') {
      if (!existsSync(pathIn(admin, path))) mkdirSync(pathIn(admin, path))
    } else copyFileSync(pathIn(into, path), pathIn(admin, path))
  }
}
