import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { shortOid } from '../../domain/integration/external-changes.ts'
import { someOf } from '../../domain/words/counts.ts'
import { recordPutBack } from '../../operations/integration/drift-detection.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { PutBackWork } from '../../operations/supervision/wishes.ts'
import { publish } from '../archive/archiver.ts'
import { placeOf } from '../files/git-dir.ts'
import { branchRef, commitOf, contains } from '../git/commits.ts'
import { withoutPrograms } from '../git/drivers.ts'
import { askGit, firstLineOf, git } from '../git/git.ts'
import { checkouts } from '../git/repository.ts'
import { landingOwn } from '../guard/own-configuration.ts'
import { fence } from '../lease.ts'
import { stampOf } from '../worktrees/trash.ts'
import type { World } from '../world.ts'
import { isOurLock, releaseIndexLock, takeIndexLock } from './move.ts'
import { moveTarget } from './mover.ts'

type Outcome =
  { readonly kind: 'done'; readonly archiveRef: string | null } | { readonly kind: 'refused'; readonly problem: string }

/**
 * Resets a target to its earlier commit: by compare-and-swap from exactly the commit that the person was shown, after
 * that commit got an archive ref. A checkout of the target follows if it has no other changes. Can be repeated after a
 * crash. Returns false if it must be retried.
 */
export const putBack = async (world: World, work: PutBackWork): Promise<boolean> => {
  const outcome = await tryPutBack(world, work)
  if (outcome === 'later') return false
  await perform(world.core, recordPutBack, { target: work.target, outcome }, world.actor)
  return true
}

const tryPutBack = async (world: World, { target, from, to, askedAt }: PutBackWork): Promise<Outcome | 'later'> => {
  const { root } = world.core
  const at = (await commitOf(root, branchRef(target))) ?? null
  if (at !== from && at !== to)
    return refused(`${target} has moved again, to ${shortOid(at)}; it was not put back. Review it again.`)
  if ((await commitOf(root, to)) === undefined)
    return refused(
      `The commit ${shortOid(to)} is gone, so ${target} cannot be put back. Accept the move, or fetch that commit first.`,
    )
  const archiveRef =
    from === null || (await contains(root, to, from))
      ? null
      : await publish(root, { worktree: `target.${target}`, stamp: stampOf(askedAt), commit: from })
  if (from === null) return (await create(root, target, to)) ?? { kind: 'done', archiveRef }
  const standing = (await checkouts(root))
    .filter(({ path, branch }) => branch === branchRef(target) && existsSync(path))
    .map(({ path }) => path)
  const begun = standing.some((path) => isOurLock(lockOf(path)))
  const stay: string[] = []
  for (const path of begun || at === to ? [] : standing) {
    const [ofTo, ofFrom] = [await changedFrom(path, to), await changedFrom(path, from)]
    if (ofTo.length === 0) stay.push(path)
    else if (ofFrom.length > 0) return refused(changesThere(path, target, ofFrom.length < ofTo.length ? ofFrom : ofTo))
  }
  await fence(world)
  const moved =
    stay.length > 0 && stay.length === standing.length
      ? await swapBelow(root, stay, { target, from, to })
      : await landingOwn(world, { from, to, isRead: true }, () =>
          moveTarget(root, {
            id: 0,
            target,
            from,
            to,
            message: `aiswarm: put ${target} back`,
            landed: at === to,
            resumed: begun,
          }),
        )
  if (moved.kind === 'busy') return 'later'
  return moved.kind === 'moved'
    ? { kind: 'done', archiveRef }
    : refused(moved.problem.replaceAll('approve again', 'put it back again'))
}

const refused = (problem: string): Outcome => ({ kind: 'refused', problem })

const changesThere = (folder: string, target: string, paths: readonly string[]): string =>
  `${folder} has other changes (${someOf(paths, 5)}), so ${target} was not put back. Commit, stash or undo them, then put it back again.`

const lockOf = (folder: string): string => join(placeOf(folder)!.gitDir, 'index.lock')

/** Tracked paths whose index entry or file differs from a commit. */
const changedFrom = async (folder: string, commit: string): Promise<readonly string[]> => {
  const environment = await withoutPrograms(folder)
  const staged = await git(folder, ['diff-index', '--cached', '-z', '--name-only', '--no-renames', commit, '--'], {
    environment,
  })
  const edited = await git(
    folder,
    ['diff', '-z', '--name-only', '--no-renames', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty'],
    { environment },
  )
  return [...new Set(`${staged}${edited}`.split('\0').filter(Boolean))]
}

const create = async (root: string, target: string, to: string): Promise<Outcome | undefined> => {
  const { exitCode, stderr } = await askGit(
    root,
    [
      'update-ref',
      '-m',
      `aiswarm: put ${target} back`,
      '--end-of-options',
      branchRef(target),
      to,
      '0'.repeat(to.length),
    ],
    {
      answers: [1, 128],
    },
  )
  return exitCode === 0 ? undefined : refused(`${target} could not be recreated: ${firstLineOf(stderr)}.`)
}

/** Moves only the branch, because its checkouts already have the files; holds the locks of their indexes meanwhile. */
const swapBelow = async (
  root: string,
  folders: readonly string[],
  { target, from, to }: { readonly target: string; readonly from: string; readonly to: string },
) => {
  const taken: string[] = []
  try {
    for (const folder of folders) {
      const lock = lockOf(folder)
      const answer = takeIndexLock(lock, 0)
      if (answer === 'busy') return { kind: 'busy' } as const
      if (answer === 'foreign')
        return {
          kind: 'held',
          problem: `Another git process runs in ${folder} (${lock} exists). Wait until it ends, or remove that file if none is running, then put it back again.`,
        } as const
      taken.push(lock)
    }
    const { exitCode, stderr } = await askGit(
      root,
      ['update-ref', '-m', `aiswarm: put ${target} back`, '--end-of-options', branchRef(target), to, from],
      { answers: [1, 128] },
    )
    return exitCode === 0
      ? ({ kind: 'moved' } as const)
      : ({ kind: 'held', problem: `${target} could not be moved: ${firstLineOf(stderr)}. Review it again.` } as const)
  } finally {
    taken.forEach(releaseIndexLock)
  }
}
