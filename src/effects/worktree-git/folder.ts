import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { commonFolder, placeOf } from '../files/git-dir.ts'
import { worktreeGitFolder } from '../files/paths.ts'
import { readRegular } from '../files/regular-file.ts'
import { replaceFile } from '../files/replace-file.ts'
import { askGit } from '../git/git.ts'
import { configOf } from './config.ts'
import { type VisibleRefs, visibleRefs } from './visible-refs.ts'

// A worktree in which something confined runs has a git folder of its own, which is seen inside in the place of the
// repository's. The program finds everything where it was, reads the repository's objects and writes only here. No
// program outside uses this folder: what was committed comes out as a pack (import.ts).

/** The git of one worktree. All paths are absolute and without links. */
export interface WorktreeGit {
  /** The main checkout. */
  readonly root: string
  /** The repository's git folder. */
  readonly common: string
  /** The name under which git registers the worktree. */
  readonly id: string
  /** The worktree's folder. */
  readonly worktree: string
  /** The git folder that is seen inside. */
  readonly folder: string
  /** Our own notes about it, which are not seen inside. */
  readonly notes: string
}

/** A worktree's git, and the words that start a program in its sandbox. */
export interface Opened {
  readonly own: WorktreeGit
  readonly inside: readonly string[]
}

/** The git of a worktree, whether its folder was made or not; undefined for a main checkout or a folder without git. */
export const worktreeGitOf = (root: string, worktree: string): WorktreeGit | undefined => {
  const common = commonFolder(root)
  const place = existsSync(worktree) ? placeOf(worktree) : undefined
  if (common === undefined || place === undefined || dirname(place.gitDir) !== join(common, 'worktrees'))
    return undefined
  return gitOf(root, common, basename(place.gitDir), place.workTree)
}

/** The same by the worktree's own folder in the repository's git folder. */
export const worktreeGitAt = (root: string, administration: string): WorktreeGit | undefined => {
  const back = readRegular(join(administration, 'gitdir'))
  if (back === undefined) return undefined
  const worktree = dirname(resolve(administration, back.trim()))
  return gitOf(root, dirname(dirname(administration)), basename(administration), worktree)
}

const gitOf = (root: string, common: string, id: string, worktree: string): WorktreeGit => {
  const place = worktreeGitFolder(root, id)
  return { root, common, id, worktree, folder: join(place, 'git'), notes: join(place, 'notes') }
}

export const isMade = ({ folder }: WorktreeGit): boolean => existsSync(folder)

/** The worktree's own folder in the repository's git folder. Nothing confined writes there. */
export const administrationOf = ({ common, id }: WorktreeGit): string => join(common, 'worktrees', id)

/** Removes the folder and the notes. What was not imported is lost. */
export const removeWorktreeGit = ({ folder }: WorktreeGit): void =>
  rmSync(dirname(folder), { recursive: true, force: true })

/** Gives the folder another name, under which aiswarm does not use it, and returns that. */
export const setAside = ({ folder }: WorktreeGit): string => {
  const place = `${dirname(folder)}.${new Date().toISOString().replace(/[:.]/g, '-')}.refused`
  renameSync(dirname(folder), place)
  return place
}

/** Makes the folder as the worktree's git is now, before anything that is confined has written in it. */
export const makeWorktreeGit = async (own: WorktreeGit): Promise<void> => {
  if (isMade(own)) return
  const place = dirname(own.folder)
  const draft = `${place}.${process.pid}.draft`
  rmSync(draft, { recursive: true, force: true })
  try {
    mkdirSync(join(draft, 'notes'), { recursive: true, mode: 0o700 })
    const { text, stamp } = await fill(own, join(draft, 'git'))
    writeFileSync(join(draft, 'notes', 'refs'), `${stamp}\n${text}`)
    await noteIndex(own, join(draft, 'notes'))
    // Another process may have made it meanwhile, and its agent may have begun.
    if (!isMade(own)) renameSync(draft, place)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

const fill = async (own: WorktreeGit, folder: string): Promise<VisibleRefs> => {
  const { root, common, id } = own
  const inside = join(folder, 'worktrees', id)
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info', 'logs/refs/heads', 'hooks'])
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'HEAD'), readRegular(join(common, 'HEAD')) ?? 'ref: refs/heads/main\n')
  writeFileSync(join(folder, 'config'), await configOf(root, common))
  for (const name of ['info/exclude', 'info/attributes', 'info/sparse-checkout', 'shallow', 'config.worktree'])
    if (existsSync(join(common, name))) cpSync(join(common, name), join(folder, name))
  writeFileSync(
    join(folder, 'objects', 'info', 'alternates'),
    objectFolders(common)
      .map(({ path }) => `${path}\n`)
      .join(''),
  )
  const refs = await visibleRefs(root, common)
  writeFileSync(join(folder, 'packed-refs'), `# pack-refs with: sorted \n${refs.text}`)
  for (const [name, target] of refs.symbolic) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), `ref: ${target}\n`)
  }
  cpSync(join(common, 'worktrees', id), inside, { recursive: true, filter: (path) => !path.endsWith('.lock') })
  const branch = branchIn(join(common, 'worktrees', id))
  const log = branch === null ? undefined : join('logs', branch)
  if (log !== undefined && existsSync(join(common, log))) {
    mkdirSync(dirname(join(folder, log)), { recursive: true })
    cpSync(join(common, log), join(folder, log))
  }
  return refs
}

/** The branch that is checked out by a worktree's own HEAD (`refs/heads/feature/auth`); null if there is none. */
export const branchIn = (administration: string): string | null =>
  /^ref: (refs\/heads\/.+)\n$/.exec(readRegular(join(administration, 'HEAD')) ?? '')?.[1] ?? null

/** The folders of objects that git reads for a repository, its own first, each at the path at which it is seen inside. */
const objectFolders = (common: string): readonly { readonly path: string; readonly from: string }[] => {
  const found = [join(common, 'objects')]
  for (let at = 0; at < found.length && found.length < MOST_BORROWED; at++) {
    const borrowed = readRegular(join(found[at]!, 'info', 'alternates')) ?? ''
    for (const line of borrowed.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
      const folder = resolve(found[at]!, line)
      if (existsSync(folder) && !found.includes(folder)) found.push(folder)
    }
  }
  // Git looks for the objects of LFS beside a folder of objects.
  return found.flatMap((from, at) => {
    const place = at === 0 ? LENT : `${LENT}-${at}`
    const large = join(dirname(from), 'lfs')
    return [
      { path: `${place}/objects`, from },
      ...(existsSync(join(from, 'info', 'alternates'))
        ? [{ path: `${place}/objects/info/alternates`, from: '/dev/null' }]
        : []),
      ...(existsSync(large) ? [{ path: `${place}/lfs`, from: large }] : []),
    ]
  })
}

const LENT = '/run/aiswarm/repository'

/** More folders of borrowed objects are not read. */
const MOST_BORROWED = 20

/** The mounts that show a worktree its own git. */
export const mountedGit = ({ common, folder }: WorktreeGit) => ({
  folder,
  objects: objectFolders(common),
  hooks: existsSync(join(common, 'hooks')) ? join(common, 'hooks') : null,
})

// The index outside follows the branch, so that a person sees there only what is really staged: a commit of theirs would
// otherwise undo what the run has committed.

/** Remembers the index as ours, if nothing is staged in it. */
const noteIndex = async (own: WorktreeGit, notes: string): Promise<void> => {
  if (!(await isClean(own, 'HEAD'))) return
  writeFileSync(join(notes, 'index'), hashOf(join(administrationOf(own), 'index')) ?? '')
}

const isClean = async (own: WorktreeGit, commit: string): Promise<boolean> =>
  (await askGit(own.root, [...at(own), 'diff-index', '--cached', '--quiet', commit], { answers: [1, 128] }))
    .exitCode === 0

/** The commit to which the index was brought last; undefined if that was never done. */
export const indexedCommit = ({ notes }: WorktreeGit): string | undefined => readRegular(join(notes, 'indexed'))

/**
 * Brings the index outside to a commit to which its branch has moved from another. What a person has staged stays staged;
 * if that is in a file that has changed too, or the person is just staging, nothing is done and the result is false. After
 * a crash at any point a repeat finishes it.
 */
export const bringIndex = async (
  own: WorktreeGit,
  ref: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> => {
  if (branchIn(administrationOf(own)) !== ref) return true
  const index = join(administrationOf(own), 'index')
  const [lock, draft] = [`${index}.lock`, `${index}.aiswarm-${process.pid}`]
  const [note, next] = [join(own.notes, 'index'), join(own.notes, 'index.next')]
  removeDrafts(index)
  // The lock of a killed process is known by its hash.
  const begun = readRegular(next)
  if (begun !== undefined && hashOf(lock) === begun) rmSync(lock, { force: true })
  const before = hashOf(index)
  if (before === undefined) return false
  try {
    cpSync(index, draft, { preserveTimestamps: true })
    const indexed = indexedCommit(own) ?? from
    const isKnown = before === readRegular(note) || before === begun
    // A person's `git status` writes the index too, with the times of files alone.
    const isOurs = isKnown || (await isClean(own, from)) || (await isClean(own, indexed))
    // Of unchanged files git keeps the times that it has seen, and does not read them again.
    const words = ['read-tree', '-m', '-i', ...(isOurs ? [to] : [from === to ? indexed : from, to])]
    const environment = { GIT_INDEX_FILE: draft }
    const { exitCode } = await askGit(own.root, [...at(own), ...words], { environment, answers: [1, 128] })
    if (exitCode !== 0) return false
    const made = hashOf(draft)!
    if (isOurs) replaceFile(next, made)
    linkSync(draft, lock)
    if (before !== hashOf(index)) {
      rmSync(lock, { force: true })
      return false
    }
    renameSync(lock, index)
    if (isOurs) replaceFile(note, made)
    replaceFile(join(own.notes, 'indexed'), to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Removes what killed processes have left beside an index. */
const removeDrafts = (index: string): void => {
  for (const name of readdirSync(dirname(index)).filter((one) => one.startsWith('index.aiswarm-'))) {
    const left = statSync(join(dirname(index), name), { throwIfNoEntry: false })
    if (left !== undefined && Date.now() - left.ctimeMs > LEFT) rmSync(join(dirname(index), name), { force: true })
  }
}

/** No index takes so long (ms). */
const LEFT = 10 * 60_000

/** The words that name the worktree to the git outside, which reads none of its files. */
const at = (own: WorktreeGit): readonly string[] => [`--git-dir=${administrationOf(own)}`]

const hashOf = (path: string): string | undefined =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true
    ? createHash('sha256').update(readFileSync(path)).digest('hex')
    : undefined
