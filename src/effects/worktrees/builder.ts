import { existsSync, lstatSync, renameSync, rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/door/perform.ts'
import type { WorktreeWork } from '../../operations/loops/read-wishes.ts'
import { readGuard } from '../../operations/integration/read-guard.ts'
import { recordWorktree } from '../../operations/loops/record-worktree.ts'
import { buildingSite, openSite, pointTo, registrationOf } from './building-site.ts'
import { askGit, git } from '../git/git.ts'
import { beginRevert } from './undo.ts'
import { branchRef, checkouts, commitOf } from '../git/facts.ts'
import { withoutPrograms } from '../git/programs.ts'
import { checkGuard } from '../guard/guard.ts'
import { recordServed, worktreeEnvironment } from './ports.ts'
import { inodeOf } from './place.ts'
import { missingTarget } from '../git/target-branch.ts'
import { buildRefusal, lockIn } from './problems.ts'
import { builderMarkers, clearRemains, madeRef } from './remains.ts'
import { reasonFor } from './admin.ts'
import { copyIncluded } from './include.ts'
import { runStep } from './step.ts'
import { fence, holding, type World } from '../world.ts'

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
    const baseOid = await holding(world, BUILDER, (held) => register(held, wanted, site))
    await checkOut(core.root, wanted, site)
    await copyIncluded(world, { ...wanted, path: site })
    await holding(world, BUILDER, (held) => putInPlace(held, wanted, site))
    await setUp(world, wanted)
    await perform(core, recordWorktree, { name: wanted.name, baseOid, error: null, inode: inodeOf(wanted.path) }, actor)
    await askGit(core.root, ['update-ref', '-d', madeRef(wanted.name)], { answers: [1, 128] })
  } catch (error) {
    const refusal = buildRefusal(error, wanted)
    if (!refusal) throw error
    await holding(world, BUILDER, (held) => clearRemains(held, wanted))
    await perform(core, recordWorktree, { name: wanted.name, baseOid: null, error: refusal.message }, actor)
    throw refusal
  }
}

/** Leases the port and runs the configured setup in the final folder. */
const setUp = async (world: World, worktree: Pick<WorktreeWork, 'name' | 'branch' | 'path'>): Promise<void> => {
  const { root, settings } = world.core
  const environment = await worktreeEnvironment(world, worktree.name)
  const { setup, setupTimeout } = settings.worktrees
  if (setup === '') return
  const step = { name: 'setup', command: setup, timeout: setupTimeout, environment: { ...environment, ...builderMarkers(root, worktree.name) } } as const
  await fence(world)
  const problem = await runStep(world, worktree, step)
  if (problem !== undefined) throw new Refusal('setup_failed', problem)
  await recordServed(world, worktree.name)
}

/** Creates the branch if it is missing, and a worktree of it without files; returns the commit. */
const register = async (held: World, wanted: WorktreeWork, site: string): Promise<string> => {
  const { name, branch, path } = wanted
  const { root } = held.core
  await clearRemains(held, wanted)
  refuseTaken(path)
  const existing = await commitOf(root, branchRef(branch))
  if (existing !== undefined) await refuseCheckedOut(root, branch)
  const from = existing ?? (await forkPoint(held.core, wanted))
  openSite(site)
  const environment = builderMarkers(root, name)
  await fence(held)
  await patiently(async () => {
    if (existing === undefined && (await commitOf(root, branchRef(branch))) === undefined) await makeBranch(root, wanted, from)
    await git(root, ['worktree', 'add', '--no-checkout', '--lock', '--reason', reasonFor(name), '--end-of-options', site, branch], { environment })
  })
  return from
}

/** Also refuses a dangling link, because git would write through it. */
const refuseTaken = (path: string): void => {
  if (lstatSync(path, { throwIfNoEntry: false })) throw new Refusal('path_exists', `${path} already exists; choose another worktree name or move it away.`)
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

/** A full ref name excludes a tag of the same name. */
const forkPoint = async ({ root, settings }: World['core'], { branch, source }: WorktreeWork): Promise<string> => {
  const { target } = settings.integration
  const from = (await commitOf(root, branchRef(source))) ?? (await commitOf(root, source))
  if (from === undefined) throw new Refusal('not_found', `There is no branch ${source} to fork ${branch} from${source === target ? missingTarget : ';'} name one with --source.`)
  return from
}

const refuseCheckedOut = async (root: string, branch: string): Promise<void> => {
  const elsewhere = (await checkouts(root)).find((checkout) => checkout.branch === branchRef(branch))
  if (!elsewhere) return
  const way = existsSync(elsewhere.path) ? 'choose another branch, or switch that checkout to one' : `that folder is gone, so run 'git worktree prune' and try again`
  throw new Refusal('invalid_state', `The branch ${branch} is checked out in ${elsewhere.path}; ${way}.`)
}

/** Creates the branch together with a ref that marks it as ours to undo. */
const makeBranch = async (root: string, { name, branch }: WorktreeWork, from: string): Promise<void> => {
  await git(root, ['update-ref', '-m', `aiswarm: worktree ${name}`, '--stdin'], { input: `create ${branchRef(branch)} ${from}\nupdate ${madeRef(name)} ${from}\n` })
}

/** Files pass through the filters in the repository's own configuration, which an agent can change. */
const refuseUntrustedFilters = async (world: World): Promise<void> => {
  if (await checkGuard(world)) return
  const lines = (await perform(world.core, readGuard, {}, world.actor))?.changed?.lines ?? []
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
  await git(site, ['reset', '--hard', '--quiet', '--no-recurse-submodules'], { environment: { ...(await withoutPrograms(site)), ...builderMarkers(root, name) }, timeout: LONG })
}

/** Milliseconds without output that git may take for the files of a large repository. */
const LONG = 30 * 60_000

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

/** 2.3 s in total. */
const TRIES = 10
