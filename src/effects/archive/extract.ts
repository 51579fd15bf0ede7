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
import { Refusal } from '../../domain/rules/refusal.ts'
import { breather, type Bytes, parentOf, pathIn, textOf } from '../files/entries.ts'
import type { ObjectFormat } from '../files/hash.ts'
import { readTar } from '../files/tar.ts'
import { git } from '../git/git.ts'
import { commonFolder } from '../files/git-dir.ts'

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
