import { copyFileSync, lstatSync, mkdtempSync, readFileSync, renameSync, rmdirSync, rmSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askGit, git } from '../git/git.ts'
import type { LockedCheckout, Move } from './move.ts'

// An interrupted move leaves each of its files unchanged, complete, missing, or partly written; never different,
// because git refuses to start if one of them was changed. A file that is different now was changed by a person since,
// and stays as it is.

/** True if a file or the index shows that the move had begun. */
export const isTouched = async (checkout: LockedCheckout, move: Move): Promise<boolean> => {
  const { changed, standingOf } = await survey(checkout, move)
  const begun = changed.some(
    (one) => ['to', 'begun'].includes(standingOf(one)) || (standingOf(one) === 'gone' && one.blob.from !== null),
  )
  return begun || (await sideOfIndex(checkout, move)) === 'to'
}

/** Resets every file of the move and the index to one side of it; files that a person has changed meanwhile stay. */
export const bringTo = async (checkout: LockedCheckout, move: Move, side: Side): Promise<void> => {
  const { folder, index, draft } = checkout
  const { changed, standingOf } = await survey(checkout, move)
  copyFileSync(index, draft)
  const environment = { ...checkout.environment, GIT_INDEX_FILE: draft }
  const indexed = await sideOfIndex(checkout, move)
  if (indexed !== side) await git(folder, ['read-tree', '-m', '-i', move[indexed], move[side]], { environment })
  const ours = changed.filter((one) => standingOf(one) !== 'theirs')
  for (const one of ours.filter(({ blob }) => blob[side] === null)) remove(folder, one.path)
  const missing = ours.filter((one) => one.blob[side] !== null && standingOf(one) !== side)
  // A path that is a folder on the other side is free once its last file is deleted.
  for (const { path } of missing) removeEmptyFolder(folder, path)
  if (missing.length > 0) {
    await git(folder, ['checkout-index', '--force', '--index', '-z', '--stdin'], {
      environment,
      bytes: true,
      input: missing.map(({ path }) => `${path}\0`).join(''),
    })
  }
  await askGit(folder, ['update-index', '-q', '--refresh'], { environment, answers: [1] })
  renameSync(draft, index)
}

/** The side that the index matches, in the paths that the move changes. */
export const sideOfIndex = async ({ folder, index, environment }: LockedCheckout, move: Move): Promise<Side> => {
  const own = { ...environment, GIT_INDEX_FILE: index }
  const differs = async (side: Side): Promise<Set<string>> =>
    new Set(
      (
        await git(folder, ['diff-index', '--cached', '-z', '--name-only', '--no-renames', move[side]], {
          environment: own,
          bytes: true,
        })
      )
        .split('\0')
        .filter(Boolean),
    )
  const [from, to] = [await differs('from'), await differs('to')]
  return from.size > 0 && [...to].every((path) => from.has(path)) && to.size < from.size ? 'to' : 'from'
}

type Side = 'from' | 'to'

interface Changed {
  /** The path's bytes, one character per byte. */
  readonly path: string
  readonly blob: Readonly<Record<Side, string | null>>
}

/** The state of a file: as on one side, missing, the beginning of a side's content, or a person's. */
type Standing = Side | 'gone' | 'begun' | 'theirs'

const survey = async (
  checkout: LockedCheckout,
  move: Move,
): Promise<{ readonly changed: readonly Changed[]; readonly standingOf: (one: Changed) => Standing }> => {
  const changed = await changesOf(checkout, move)
  const differing = {
    from: await differingFrom(checkout, changed, 'from'),
    to: await differingFrom(checkout, changed, 'to'),
  }
  const known = new Map<string, Standing>()
  for (const one of changed) known.set(one.path, await standing(checkout, one, differing))
  return { changed, standingOf: ({ path }) => known.get(path)! }
}

/** The paths that differ between the two commits. */
const changesOf = async ({ folder }: LockedCheckout, { from, to }: Move): Promise<readonly Changed[]> => {
  const fields = (
    await git(folder, ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to], { bytes: true })
  ).split('\0')
  const changed: Changed[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode, newMode, oldBlob, newBlob] = fields[at]!.slice(1).split(' ')
    const entry = (mode: string | undefined, blob: string | undefined): string | null =>
      mode === '000000' ? null : `${mode} ${blob}`
    changed.push({ path: fields[at + 1]!, blob: { from: entry(oldMode, oldBlob), to: entry(newMode, newBlob) } })
  }
  return changed
}

/**
 * The paths whose file differs from this side, by git's own comparison: filters, line endings, modes and links count as
 * they do for git.
 */
const differingFrom = async (
  { folder, environment }: LockedCheckout,
  changed: readonly Changed[],
  side: Side,
): Promise<ReadonlySet<string>> => {
  const scratch = mkdtempSync(join(tmpdir(), 'aiswarm-index-'))
  try {
    const own = { ...environment, GIT_INDEX_FILE: join(scratch, 'index') }
    const entries = changed
      .filter(({ blob }) => blob[side] !== null)
      .map(({ path, blob }) => `${blob[side]}\t${path}\0`)
    if (entries.length === 0) return new Set()
    await git(folder, ['update-index', '-z', '--index-info'], {
      environment: own,
      bytes: true,
      input: entries.join(''),
    })
    await askGit(folder, ['update-index', '-q', '--refresh'], { environment: own, answers: [1] })
    return new Set(
      (
        await git(folder, ['diff-files', '-z', '--name-only', '--ignore-submodules=dirty'], {
          environment: own,
          bytes: true,
        })
      )
        .split('\0')
        .filter(Boolean),
    )
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const standing = async (
  checkout: LockedCheckout,
  one: Changed,
  differing: Readonly<Record<Side, ReadonlySet<string>>>,
): Promise<Standing> => {
  for (const side of ['from', 'to'] as const) if (one.blob[side] !== null && !differing[side].has(one.path)) return side
  const stat = statOf(fileOf(checkout.folder, one.path))
  // A folder in the file's place means that the file is missing; the folder's files are compared by their own paths.
  if (stat === undefined || stat.isDirectory()) return 'gone'
  if (!stat.isFile()) return 'theirs'
  const bytes = readFileSync(fileOf(checkout.folder, one.path))
  if (bytes.length === 0) return 'begun'
  for (const side of ['to', 'from'] as const) if (await isBeginning(checkout, bytes, one.blob[side])) return 'begun'
  return 'theirs'
}

/** The largest file of which a partial write is recognised (bytes). */
const LARGE = 64 * 1024 * 1024

const isBeginning = async ({ folder }: LockedCheckout, bytes: Buffer, entry: string | null): Promise<boolean> => {
  if (entry === null || entry.startsWith('160000')) return false
  const blob = Buffer.from(
    await git(folder, ['cat-file', 'blob', entry.split(' ')[1]!], { bytes: true, limit: LARGE }),
    'latin1',
  )
  return bytes.length < blob.length && blob.subarray(0, bytes.length).equals(bytes)
}

const remove = (folder: string, path: string): void => {
  const file = fileOf(folder, path)
  const stat = statOf(file)
  if (stat === undefined || stat.isDirectory()) return
  unlinkSync(file)
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    if (!removeFolder(fileOf(folder, path.slice(0, end)))) return
}

const removeEmptyFolder = (folder: string, path: string): void => {
  if (statOf(fileOf(folder, path))?.isDirectory()) removeFolder(fileOf(folder, path))
}

/** False if it is not empty, or not a folder. */
const removeFolder = (path: Buffer): boolean => {
  try {
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}

const fileOf = (folder: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')])

const statOf = (file: Buffer) => {
  try {
    return lstatSync(file)
  } catch {
    // ENOTDIR: a file has replaced one of its parent folders.
    return undefined
  }
}
