import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { breather, type Bytes, entryOf, parentOf, pathIn, textOf } from '../files/entries.ts'
import { commonFolder } from '../files/git-dir.ts'
import { tarFolder } from '../files/paths.ts'
import { digestOf, readTar } from '../files/tar.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { askGit, firstLineOf, git } from '../git/git.ts'
import { blobOf, type ObjectFormat } from './objects.ts'
import type { ArchivedEntry, ArchiveRecord } from './record.ts'

// Writes the content of an archive out, and proves that it is what was archived.

/**
 * Proves, before anything is removed, that an archive restores everything: every object exists, the tree is written out
 * once and read again, and every file in the tar has the bytes that it had in the folder.
 */
export const checkArchive = async (
  root: string,
  { commit, record, target, scratch }: { commit: string; record: ArchiveRecord; target: string; scratch: string },
): Promise<void> => {
  try {
    await checkObjects(root, commit, target)
    if (record.folder) {
      const into = join(scratch, 'again')
      await extractTree(root, commit, { into, scratch, format: record.format })
      const wrong = await firstDifference(
        into,
        record.entries.filter(({ store }) => store === 'tree'),
        record.format,
      )
      if (wrong !== undefined) throw unproven(`${wrong} would not be restored unchanged`)
    }
    await checkTar(root, record)
  } catch (error) {
    if (isRefusal(error) && error.code === 'git_failed') throw unproven(error.message.replace(/\.$/, ''), error)
    throw error
  }
}

/** Objects of the target branch are assumed to be intact. */
const checkObjects = async (root: string, commit: string, target: string): Promise<void> => {
  const onto = await commitOf(root, branchRef(target))
  const { exitCode, stderr } = await askGit(
    root,
    ['rev-list', '--objects', '--quiet', commit, ...(onto === undefined ? [] : ['--not', onto])],
    {
      answers: [1, 128],
      timeout: 600_000,
    },
  )
  if (exitCode !== 0) throw unproven(firstLineOf(stderr) || 'an object is missing')
}

/** The path of the first entry that differs from the folder. Of the permissions only "executable" counts. */
export const firstDifference = async (
  folder: string,
  entries: readonly ArchivedEntry[],
  format: ObjectFormat,
): Promise<string | undefined> => {
  const pause = breather()
  for (const { path, kind, mode, oid, target } of entries) {
    const found = entryOf(folder, path)
    await pause()
    const same =
      found?.kind === kind && found.target === target && (kind !== 'file' || (found.mode & 0o100) === (mode & 0o100))
    if (!same || (kind === 'file' && (await blobOf(pathIn(folder, path), format)) !== oid)) return textOf(path)
  }
  return undefined
}

export const checkTar = async (root: string, { tar, entries, format }: ArchiveRecord): Promise<void> => {
  if (tar === null) return
  const file = join(tarFolder(root), tar.file)
  const wanted = new Map<Bytes, ArchivedEntry>(
    entries.filter(({ store }) => store === 'tar').map((entry) => [`files/${entry.path}`, entry]),
  )
  for (const { path, kind, target, content } of readTar(file)) {
    const entry = wanted.get(path)
    if (entry === undefined) continue
    wanted.delete(path)
    const same =
      entry.kind === kind && entry.target === target && (kind === 'link' || hashOf(content, entry.oid!, format))
    if (!same) throw unproven(`${textOf(entry.path)} would not be restored unchanged from ${file}`)
  }
  const [missing] = wanted.values()
  if (missing !== undefined) throw unproven(`${textOf(missing.path)} is missing in ${file}`)
  if ((await digestOf(file)) !== tar.sha256) throw unproven(`${file} differs from what was written`)
}

const hashOf = (content: () => Iterable<Buffer>, oid: string, format: ObjectFormat): boolean => {
  let size = 0
  for (const piece of content()) size += piece.length
  const hash = createHash(format).update(`blob ${size}\0`)
  for (const piece of content()) hash.update(piece)
  return hash.digest('hex') === oid
}

const unproven = (why: string, cause?: unknown): Refusal =>
  new Refusal('archive_failed', `its archive could not be verified (${why})`, { cause })

/**
 * Writes the files of a tree into a folder, byte for byte. Git does it from a separate repository in `scratch` that
 * borrows the objects: its attributes take precedence over those of any file and switch off every conversion.
 */
export const extractTree = async (
  root: string,
  tree: string,
  { into, scratch, format }: { into: string; scratch: string; format: ObjectFormat },
): Promise<void> => {
  const bare = join(scratch, 'bare')
  rmSync(bare, { recursive: true, force: true })
  for (const folder of ['objects', 'refs', 'info']) mkdirSync(join(bare, folder), { recursive: true, mode: 0o700 })
  writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/none\n')
  writeFileSync(
    join(bare, 'config'),
    `[core]\n\trepositoryformatversion = 1\n\tbare = true\n\tfilemode = true\n[extensions]\n\tobjectformat = ${format}\n`,
  )
  writeFileSync(join(bare, 'info', 'attributes'), '* -text -eol -ident -filter -working-tree-encoding\n')
  mkdirSync(into, { recursive: true })
  const environment = {
    GIT_OBJECT_DIRECTORY: join(commonFolder(root)!, 'objects'),
    GIT_WORK_TREE: into,
    GIT_INDEX_FILE: join(bare, 'index'),
  }
  await git(bare, ['read-tree', tree], { environment, timeout: 600_000, root })
  await git(bare, ['checkout-index', '--all', '--force', '--quiet'], { environment, timeout: 600_000, root })
  rmSync(bare, { recursive: true, force: true })
}

/** Extracts a tar into the folders that `placeOf` returns for its entries, and never writes through a link. */
export const extractTar = async (
  file: string,
  placeOf: (path: Bytes) => { folder: string; path: Bytes },
): Promise<void> => {
  const pause = breather()
  for (const entry of readTar(file)) {
    const { folder, path } = placeOf(entry.path)
    makeFolder(folder, parentOf(path))
    if (entry.kind === 'link') symlinkSync(Buffer.from(entry.target, 'latin1'), pathIn(folder, path))
    else {
      const out = openSync(
        pathIn(folder, path),
        constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
        entry.mode,
      )
      try {
        for (const piece of entry.content()) {
          for (let at = 0; at < piece.length;) at += writeSync(out, piece, at)
          await pause()
        }
      } finally {
        closeSync(out)
      }
    }
    await pause()
  }
}

/** Creates a folder below another, with its parents. Refuses a path that leads outside. */
export const makeFolder = (folder: string, path: Bytes): void => {
  if (path === '') return
  if (path.split('/').some((name) => name === '' || name === '.' || name === '..')) throw astray(path)
  makeFolder(folder, parentOf(path))
  const stats = lstatSync(pathIn(folder, path), { throwIfNoEntry: false })
  if (stats === undefined) mkdirSync(pathIn(folder, path))
  else if (!stats.isDirectory()) throw astray(path)
}

const astray = (path: Bytes): Refusal =>
  new Refusal('archive_failed', `the archive has a path outside the worktree: ${textOf(path)}`)
