import { copyFileSync, existsSync, lstatSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { someOf } from '../../domain/words/counts.ts'
import { commonFolder } from '../files/git-dir.ts'
import { readRegular } from '../files/regular-file.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { askGit, firstLineOf, git } from '../git/git.ts'
import { type Checkout, checkouts } from '../git/repository.ts'
import { changedPaths } from '../git/working-tree.ts'
import {
  clearDraft,
  gitFolderOf,
  held,
  isOurLock,
  lockedCheckout,
  type LockedCheckout,
  type Move,
  type Moved,
  releaseIndexLock,
  stale,
  swap,
  takeIndexLock,
} from './move.ts'
import { bringTo, isTouched, sideOfIndex } from './recovery.ts'

/**
 * Moves a branch forward: by compare-and-swap if it is not checked out, otherwise as `merge --ff-only` does in that
 * checkout, which keeps unrelated edits and refuses to overwrite others. If it is killed at any point, the next call
 * for the same move completes or reverts it.
 * It does not use `merge --ff-only` itself, because a git that is killed in between leaves a lock without an owner and
 * half of the files: here the same steps run one by one under a lock that names its owner.
 */
export const moveTarget = async (root: string, move: Move): Promise<Moved> => {
  const ref = branchRef(move.target)
  const all = (await checkouts(root)).filter(({ path }) => existsSync(path))
  const rebasing = gitFolders(root).some((gitDir) => rebasedIn(gitDir) === ref)
  if (rebasing) return held(`A checkout is rebasing ${move.target}; finish or abort the rebase, then approve again.`)
  const standing = all.filter(({ branch }) => branch === ref)
  // The branch would move without the files of the other checkouts, which would then seem to revert the merge.
  if (standing.length > 1 && !move.landed && !move.resumed) return held(inTwoPlaces(move, standing))
  const checkout = standing.find(({ path }) => isOurLock(join(gitFolderOf(path), 'index.lock'))) ?? standing[0]
  if (checkout) return moveCheckout(checkout.path, move)
  if (move.landed || move.from === move.to) return { kind: 'moved' }
  const moved = await swap(root, move)
  if (moved.kind === 'moved') await followInto(root, move)
  return moved
}

const moveCheckout = async (folder: string, move: Move): Promise<Moved> => {
  const gitDir = gitFolderOf(folder)
  const lock = join(gitDir, 'index.lock')
  if ((move.landed || move.from === move.to) && !isOurLock(lock)) return { kind: 'moved' }
  const unfinished = unfinishedIn(gitDir)
  if (unfinished !== undefined && !isOurLock(lock))
    return held(`${folder} has ${unfinished} in progress; finish or abort it, then approve again.`)
  const taken = takeIndexLock(lock, move.id)
  if (taken === 'busy') return { kind: 'busy' }
  if (taken === 'foreign')
    return held(
      `Another git process runs in ${folder} (${lock} exists); wait until it ends, or remove that file if none is running, then approve again.`,
    )
  const checkout = await lockedCheckout(folder, gitDir)
  clearDraft(checkout)
  try {
    return (taken === 'abandoned' || move.resumed) && (await isTouched(checkout, move))
      ? await finish(checkout, move)
      : await advance(checkout, move)
  } finally {
    clearDraft(checkout)
    releaseIndexLock(lock)
  }
}

/** Updates files, index and branch, in this order; every refusal happens before the first file. */
const advance = async (checkout: LockedCheckout, move: Move): Promise<Moved> => {
  const { folder, index, draft } = checkout
  if (move.landed || move.from === move.to) return { kind: 'moved' }
  const overwritten = await overwrittenBy(folder, move.from, move.to)
  if (overwritten.length > 0) return held(inTheWay(folder, move, overwritten))
  if (!existsSync(index)) return held(`${folder} has no index; run 'git reset' there, then approve again.`)
  copyFileSync(index, draft)
  const environment = { ...checkout.environment, GIT_INDEX_FILE: draft }
  const refreshed = await askGit(folder, ['update-index', '-q', '--refresh'], { environment, answers: [1, 128] })
  if (refreshed.exitCode === 128)
    return held(
      `${move.target} could not be moved in ${folder}: ${firstLineOf(refreshed.stderr)}; fix that, then approve again.`,
    )
  const { exitCode, stderr } = await askGit(folder, ['read-tree', '-m', '-u', move.from, move.to], {
    environment,
    answers: [1, 128],
    timeout: LONG,
  })
  if (exitCode !== 0) {
    if (refusals.test(stderr))
      return (await commitOf(folder, branchRef(move.target))) === move.from
        ? held(await whyRefused(folder, move, stderr))
        : stale(move)
    await bringTo(checkout, move, 'from')
    return held(
      `${move.target} could not be moved in ${folder}, and the checkout was restored: ${firstLineOf(stderr)}; fix that, then approve again.`,
    )
  }
  renameSync(draft, index)
  const moved = await swap(folder, move)
  if (moved.kind !== 'moved') await bringTo(checkout, move, 'from')
  return moved
}

/** Completes a move that another process began if the branch can still follow, and reverts it otherwise. */
const finish = async (checkout: LockedCheckout, move: Move): Promise<Moved> => {
  const at = await commitOf(checkout.folder, branchRef(move.target))
  if (at !== move.from && at !== move.to) {
    // If the move was completed and the branch has moved since, its files are already right.
    if (!move.landed) await bringTo(checkout, move, 'from')
    return move.landed ? { kind: 'moved' } : stale(move)
  }
  await bringTo(checkout, move, 'to')
  const moved: Moved = at === move.to ? { kind: 'moved' } : await swap(checkout.folder, move)
  if (moved.kind !== 'moved') await bringTo(checkout, move, 'from')
  return moved
}

/** Milliseconds without output that git may take for the files of a large merge. */
const LONG = 30 * 60_000

const inTwoPlaces = ({ target }: Move, [one, other]: readonly Checkout[]): string =>
  `${target} is checked out in ${one!.path} and in ${other!.path}, but a merge can update only one of them; switch the other to another branch, then approve again.`

/** Messages of git before it touches the first file; any other failure may have stopped it in between. */
const refusals =
  /would be (?:overwritten|removed)|not uptodate|would lose|overlaps with|cannot checkout new HEAD|resolve your current index|Refusing to remove/

/** Names all paths that git would overwrite; git itself names only the first. */
const whyRefused = async (folder: string, { target, from, to }: Move, stderr: string): Promise<string> => {
  const changed = new Set(
    (await git(folder, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to])).split('\0').filter(Boolean),
  )
  const isInTheWay = (path: string): boolean =>
    changed.has(path) ||
    [...changed].some((other) => other.startsWith(`${path.replace(/\/$/, '')}/`) || path.startsWith(`${other}/`))
  const files = (await changedPaths(folder, { ignored: true })).map(({ path }) => path).filter(isInTheWay)
  const overlooked = /Entry '(.+)' not uptodate/.exec(stderr)?.[1]
  if (files.length === 0 && overlooked !== undefined)
    return `${overlooked} has changes that git is configured to skip, so ${target} could not be moved in ${folder}. Make git see them ('git update-index --no-assume-unchanged --no-skip-worktree' with its name), commit or stash them, then approve again.`
  if (files.length === 0) return `${target} could not be moved in ${folder}: ${firstLineOf(stderr)}.`
  return inTheWay(folder, { target }, files)
}

const inTheWay = (folder: string, { target }: Pick<Move, 'target'>, files: readonly string[]): string => {
  return `${someOf(files, 5)} would be overwritten, so ${target} could not be moved in ${folder}. Commit or stash what you changed there, then approve again.`
}

/**
 * Paths in a checkout where the second commit adds files and the first has none. Git keeps untracked files but treats
 * ignored ones, such as a person's `.env`, as expendable; aiswarm keeps both.
 */
const overwrittenBy = async (folder: string, from: string, to: string): Promise<readonly string[]> => {
  const fields = (
    await git(folder, ['diff-tree', '-r', '-z', '--name-status', '--no-renames', '--diff-filter=AD', from, to], {
      bytes: true,
    })
  ).split('\0')
  const [added, deleted] = [new Set<string>(), new Set<string>()]
  for (let at = 0; at + 1 < fields.length; at += 2) (fields[at] === 'A' ? added : deleted).add(fields[at + 1]!)
  const found = new Set<string>()
  for (const path of added)
    for (const standing of standingAt(folder, path)) if (!deleted.has(standing)) found.add(standing)
  return [...found].map((path) => Buffer.from(path, 'latin1').toString('utf8'))
}

/**
 * The existing paths: the file itself, the files of a folder in its place, or a file in place of one of its parent
 * folders.
 */
const standingAt = (folder: string, path: string): readonly string[] => {
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
    const stat = statOf(folder, path.slice(0, end))
    if (stat === undefined) return []
    if (!stat.isDirectory()) return [path.slice(0, end)]
  }
  const stat = statOf(folder, path)
  if (stat === undefined) return []
  return stat.isDirectory() ? filesBelow(folder, path) : [path]
}

const filesBelow = (folder: string, path: string): readonly string[] =>
  readdirSync(fileOf(folder, path), { withFileTypes: true, encoding: 'latin1' }).flatMap((entry) => {
    const inner = `${path}/${entry.name}`
    return entry.isDirectory() ? filesBelow(folder, inner) : [inner]
  })

const statOf = (folder: string, path: string) => lstatSync(fileOf(folder, path), { throwIfNoEntry: false })

const fileOf = (folder: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')])

const unfinishedIn = (gitDir: string): string | undefined =>
  Object.entries({
    MERGE_HEAD: 'a merge',
    CHERRY_PICK_HEAD: 'a cherry-pick',
    REVERT_HEAD: 'a revert',
    'rebase-merge': 'a rebase',
    'rebase-apply': 'a rebase',
  }).find(([name]) => existsSync(join(gitDir, name)))?.[1]

/** The git folders of all checkouts of the repository. */
const gitFolders = (root: string): readonly string[] => {
  const common = commonFolder(root)!
  const linked = join(common, 'worktrees')
  return [common, ...(existsSync(linked) ? readdirSync(linked).map((name) => join(linked, name)) : [])]
}

/** The branch that a rebase in this checkout moves at its end. */
const rebasedIn = (gitDir: string): string | undefined => {
  const [name] = ['rebase-merge/head-name', 'rebase-apply/head-name'].flatMap(
    (path) => readRegular(join(gitDir, path)) ?? [],
  )
  return name?.trim()
}

/** The longest wait for a git that runs in a checkout, and the interval of checks (ms). */
const SWITCHING = 30_000
const LOOK = 100

/**
 * A `git switch` to the target that read the branch before the move and writes HEAD at its end leaves a checkout whose
 * files and index are older than its branch: the next commit there would revert the merge. This function updates such a
 * checkout.
 */
const followInto = async (root: string, move: Move): Promise<void> => {
  const until = performance.now() + SWITCHING
  // Checks once more after the last lock is gone, for a git that had read the branch and not yet taken its lock.
  for (let quiet = 0; quiet < 2 && performance.now() < until;) {
    quiet = isGitAtWork(root) ? 0 : quiet + 1
    await sleep(LOOK)
    for (const { path, branch } of await checkouts(root))
      if (branch === branchRef(move.target) && existsSync(path)) await follow(path, move)
  }
}

const isGitAtWork = (root: string): boolean => gitFolders(root).some((gitDir) => existsSync(join(gitDir, 'index.lock')))

const follow = async (folder: string, move: Move): Promise<void> => {
  const gitDir = gitFolderOf(folder)
  const lock = join(gitDir, 'index.lock')
  if (takeIndexLock(lock, move.id) !== 'taken') return
  const checkout = await lockedCheckout(folder, gitDir)
  try {
    if ((await commitOf(folder, branchRef(move.target))) === move.to && (await sideOfIndex(checkout, move)) === 'from')
      await bringTo(checkout, move, 'to')
  } finally {
    clearDraft(checkout)
    releaseIndexLock(lock)
  }
}
