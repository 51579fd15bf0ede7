import { existsSync, lstatSync, renameSync, rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CONFIGURATION_CHANGED } from '../../domain/integration/trusted-configuration.ts'
import { isRefusal, isUndecided, Refusal } from '../../domain/rules/refusal.ts'
import { someOf } from '../../domain/words/counts.ts'
import { readGuard } from '../../operations/integration/configuration.ts'
import { readRevert } from '../../operations/integration/merge.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { recordWorktree } from '../../operations/worktrees/building.ts'
import { branchRef, commitOf, committer, contains } from '../git/commits.ts'
import { withoutPrograms } from '../git/drivers.ts'
import { askGit, git, lockIn } from '../git/git.ts'
import { checkouts, missingTarget } from '../git/repository.ts'
import { checkGuard, cloneOf } from '../guard/guard.ts'
import { fence, holding } from '../lease.ts'
import { continuedTip, forkOnRemote } from '../remote/tips.ts'
import { importOwnGit } from '../sandbox/confinement.ts'
import type { World } from '../world.ts'
import { reasonFor } from './admin-files.ts'
import {
  builderMarkers,
  buildingSite,
  clearRemains,
  madeRef,
  openSite,
  pointTo,
  registrationOf,
} from './building-site.ts'
import { inodeOf } from './folder.ts'
import { copyIncluded } from './include.ts'
import { setUp } from './setup.ts'

/** Parallel `git worktree add` commands race on files shared by all worktrees, so one process registers at a time. */
export const BUILDER = 'worktree-builder'

/**
 * Creates the folder and branch of a requested worktree and prepares it. A failure is undone and leaves no row; the
 * refusal says why. A repeat after a crash starts over with the folder, in which no process can have worked yet.
 * The files are written in a folder that no other process knows, and moved to their place whole. A builder that was
 * stopped and wakes up after another one has finished can therefore reach only its own folder.
 */
export const buildWorktree = async (world: World, wanted: WorktreeWork): Promise<void> => {
  const { core, actor } = world
  try {
    await beginRevert(world, wanted)
    await refuseUntrustedFilters(world)
    const site = buildingSite(wanted)
    const continued = await continuedTip(world, wanted)
    const there = continued?.tip ?? (await forkOnRemote(world, wanted.source))
    const baseOid = await holding(world, BUILDER, (held) => register(held, wanted, { site, there }))
    await checkOut(core.root, wanted, site)
    if (continued?.snapshot !== undefined && baseOid === continued.tip)
      await restoreUncommitted(core.root, wanted, site, continued.snapshot)
    await copyIncluded(world, { ...wanted, path: site })
    await holding(world, BUILDER, (held) => putInPlace(held, wanted, site))
    await setUp(world, wanted)
    const built = { name: wanted.name, baseOid, error: null, inode: inodeOf(wanted.path) }
    const { recorded } = await perform(core, recordWorktree, built, actor)
    // Otherwise it is not wanted any more, and is removed with its branch.
    if (recorded) await askGit(core.root, ['update-ref', '-d', madeRef(wanted.name)], { answers: [1, 128] })
  } catch (error) {
    const refusal = buildRefusal(error, wanted)
    if (!refusal) throw error
    await holding(world, BUILDER, (held) => clearRemains(held, wanted))
    await perform(core, recordWorktree, { name: wanted.name, baseOid: null, error: refusal.message }, actor)
    throw refusal
  }
}

/**
 * Moves the finished folder to its place. Git's record names the place first, so that after a crash between the two
 * both are found.
 */
const putInPlace = async (held: World, { path }: WorktreeWork, site: string): Promise<void> => {
  const registration = registrationOf(held.core.root, site)
  await fence(held)
  refuseTaken(path)
  pointTo(registration, site, path)
  renameSync(site, path)
  rmdirSync(dirname(site))
}

/** Files pass through the filters in the repository's own configuration, which an agent can change. */
const refuseUntrustedFilters = async (world: World): Promise<void> => {
  if (await checkGuard(world)) return
  const { core, actor } = world
  const lines = (await perform(core, readGuard, cloneOf(core), actor))?.changed?.lines ?? []
  if (lines.some((line) => /^\+ config filter\./i.test(line)))
    throw new Refusal(
      'configuration_changed',
      "The repository's git configuration names filters for files that no person has reviewed; 'aiswarm worktree trust' shows the lines and accepts them.",
    )
}

/**
 * Checks out the files, which takes the longest, for several worktrees at a time. As `git worktree add` does, but
 * without the repository's hooks.
 */
const checkOut = async (root: string, { name }: WorktreeWork, site: string): Promise<void> => {
  await git(site, ['reset', '--hard', '--quiet', '--no-recurse-submodules'], {
    environment: { ...(await withoutPrograms(site)), ...builderMarkers(root, name) },
    timeout: LONG,
  })
}

/** The uncommitted files of the worktree that this one continues, as its host has pushed them. */
const restoreUncommitted = async (
  root: string,
  { name }: WorktreeWork,
  site: string,
  snapshot: string,
): Promise<void> => {
  const options = ['--worktree', '--no-overlay', '--no-recurse-submodules', `--source=${snapshot}`]
  await git(site, ['restore', ...options, '--', '.'], {
    environment: { ...(await withoutPrograms(site)), ...builderMarkers(root, name) },
    timeout: LONG,
  })
}

/** Milliseconds without output that git may take for the files of a large repository. */
const LONG = 30 * 60_000

/**
 * Creates the branch if it is missing, and a worktree of it without files; returns the commit. `there` is the commit of its
 * source on the remote, if that counts.
 */
const register = async (
  held: World,
  wanted: WorktreeWork,
  { site, there }: { readonly site: string; readonly there: string | undefined },
): Promise<string> => {
  const { name, branch, path } = wanted
  const { root } = held.core
  await clearRemains(held, wanted)
  refuseTaken(path)
  const existing = await commitOf(root, branchRef(branch))
  if (existing !== undefined && wanted.isNew)
    throw new Refusal(
      'already_exists',
      `Branch ${branch} exists already, and an agent gets a new one. Choose another name; only a person creates a worktree of a branch that exists.`,
    )
  if (existing !== undefined) await refuseCheckedOut(root, branch)
  const from = existing ?? there ?? (await forkPoint(held, wanted))
  openSite(site)
  const environment = builderMarkers(root, name)
  await fence(held)
  await patiently(async () => {
    if (existing === undefined && (await commitOf(root, branchRef(branch))) === undefined)
      await makeBranch(root, wanted, from)
    await git(
      root,
      ['worktree', 'add', '--no-checkout', '--lock', '--reason', reasonFor(name), '--end-of-options', site, branch],
      { environment },
    )
  })
  return from
}

/** A full ref name excludes a tag of the same name. */
const forkPoint = async (world: World, { branch, source }: WorktreeWork): Promise<string> => {
  const { root, settings } = world.core
  const { target } = settings.integration
  await importOwnGit(world, source)
  const from = (await commitOf(root, branchRef(source))) ?? (await commitOf(root, source))
  if (from === undefined)
    throw new Refusal(
      'not_found',
      `There is no branch ${source} to fork ${branch} from${source === target ? missingTarget : ';'} name one with --source.`,
    )
  return from
}

/** Also refuses a dangling link, because git would write through it. */
const refuseTaken = (path: string): void => {
  if (lstatSync(path, { throwIfNoEntry: false }))
    throw new Refusal('path_exists', `${path} already exists; choose another worktree name or move it away.`)
}

const refuseCheckedOut = async (root: string, branch: string): Promise<void> => {
  const elsewhere = (await checkouts(root)).find((checkout) => checkout.branch === branchRef(branch))
  if (!elsewhere) return
  const way = existsSync(elsewhere.path)
    ? 'choose another branch, or switch that checkout to one'
    : `that folder is gone, so run 'git worktree prune' and try again`
  throw new Refusal('invalid_state', `The branch ${branch} is checked out in ${elsewhere.path}; ${way}.`)
}

/** Creates the branch together with a ref that marks it as ours to undo. */
const makeBranch = async (root: string, { name, branch }: WorktreeWork, from: string): Promise<void> => {
  await git(root, ['update-ref', '-m', `aiswarm: worktree ${name}`, '--stdin'], {
    input: `create ${branchRef(branch)} ${from}\nupdate ${madeRef(name)} ${from}\n`,
  })
}

/** 2.3 s in total. */
const TRIES = 10

/**
 * Retries, because another git may hold a lock for a moment; a lock that stays is left for a person, and never removed.
 */
const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (lockIn(error) === undefined || tries === TRIES) throw error
      await sleep(50 * tries)
    }
  }
}

/**
 * Creates the revert as the first commit on the branch of a worktree that undoes an integration; leaves other worktrees
 * alone. Touches no checkout.
 */
const beginRevert = async (world: World, { name, branch }: WorktreeWork): Promise<void> => {
  const { core, actor } = world
  const revert = await perform(core, readRevert, { worktree: name }, actor)
  if (!revert) return
  const { root } = core
  const { mergeOid, target, worktree } = revert
  if ((await commitOf(root, branchRef(branch))) !== undefined) return
  const targetOid = await commitOf(root, branchRef(target))
  if (targetOid === undefined || !(await contains(root, targetOid, mergeOid))) {
    throw new Refusal(
      'invalid_state',
      `${target} no longer contains the integration of ${worktree}; there is nothing to undo.`,
    )
  }
  const environment = await committer(root)
  const commit = async (tree: string, parent: string, message: string): Promise<string> =>
    (await git(root, ['commit-tree', tree, '-p', parent], { input: message, environment })).trim()
  // Directly after the merge, the revert is simply the tree before it; merging that with the target keeps later
  // changes.
  const directly = await commit(`${mergeOid}^1^{tree}`, mergeOid, 'A revert\n')
  const trusted = await checkGuard(world)
  const { exitCode, stdout } = await askGit(
    root,
    ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', '--end-of-options', targetOid, directly],
    { answers: [1], environment: await withoutPrograms(root) },
  )
  const [tree = '', ...conflicts] = stdout.split('\0').filter(Boolean)
  // An untrusted merge driver was not run, so this may not be a real conflict.
  if (exitCode === 1 && !trusted) throw new Refusal('configuration_changed', CONFIGURATION_CHANGED)
  if (exitCode === 1) {
    throw new Refusal(
      'conflicted',
      `Undoing ${worktree} conflicts with later changes in ${someOf([...new Set(conflicts)], 5)}; create a task for it instead.`,
    )
  }
  const oid = await commit(
    tree,
    targetOid,
    `Revert "Integrate worktree ${worktree}"\n\nThis reverts the merge ${mergeOid}.\n`,
  )
  await git(root, ['update-ref', '--end-of-options', branchRef(branch), oid, '0'.repeat(oid.length)])
}

/** The refusal for an error of building; undefined for a bug, and while nothing is decided, so that it is built again. */
const buildRefusal = (error: unknown, { branch, path }: WorktreeWork): Refusal | undefined => {
  const refuse = (code: 'not_writable' | 'setup_failed' | 'git_failed', sentence: string): Refusal =>
    new Refusal(code, sentence, { cause: error })
  if (isRefusal(error) && lockIn(error) !== undefined) return error
  const said = error instanceof Error ? error.message : ''
  if (!isRefusal(error) && typeof (error as NodeJS.ErrnoException).code !== 'string') return undefined
  // The board does not answer, or another process builds it; or the work that it continues is out of reach for a while.
  if (isUndecided(error) || (isRefusal(error) && error.code === 'remote_unreachable')) return undefined
  if (isRefusal(error) && error.code !== 'git_failed') return error
  if (/\bENOSPC\b|\bEDQUOT\b|No space left on device|Disk quota exceeded/.test(said))
    return refuse('not_writable', `The disk of ${dirname(path)} is full; make room and try again.`)
  if (/\bE(ACCES|PERM|ROFS)\b|Permission denied|Read-only file system/.test(said))
    return refuse(
      'not_writable',
      `${dirname(path)} is not writable; change its permissions, or choose another folder with worktrees.path in .aiswarm/config.yaml.`,
    )
  // Git reports the end of a filter's program in several ways, depending on timing.
  if (isRefusal(error) && /\bfilter\b|subprocess|remote end hung up|packet write/.test(said))
    return refuse(
      'git_failed',
      `A git filter for files of ${branch} fails (${reasonIn(said)}); install its program, or remove it from your git configuration.`,
    )
  // Git does not say why it could not write; the reason is nearly always a full disk.
  if (/unable to (write|create) file|could not write/i.test(said))
    return refuse(
      'not_writable',
      `The files of ${branch} could not all be written below ${dirname(path)} (${reasonIn(said)}); make room on its disk and try again.`,
    )
  if (isRefusal(error)) return error
  return refuse('not_writable', `${path} could not be created: ${said}.`)
}

/** The first message after `git reset failed: `. */
const reasonIn = (said: string): string => said.replace(/^git \S+ failed: /, '').split(';')[0]!
