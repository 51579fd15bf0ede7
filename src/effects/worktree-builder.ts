import { existsSync, lstatSync, renameSync, rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../domain/refusal.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { WorktreeWork } from '../operations/read-wishes.ts'
import { readGuard } from '../operations/read-guard.ts'
import { recordWorktree } from '../operations/record-worktree.ts'
import { buildingSite, openSite, pointTo, registrationOf } from './building-site.ts'
import { askGit, git } from './git.ts'
import { beginRevert } from './integration/undo.ts'
import { branchRef, checkouts, commitOf } from './git-facts.ts'
import { withoutPrograms } from './git-programs.ts'
import { checkGuard } from './integration/guard.ts'
import { recordServed, worktreeEnvironment } from './ports.ts'
import { inodeOf } from './worktree-place.ts'
import { buildRefusal, lockIn } from './worktree-problems.ts'
import { builderMarkers, clearRemains, madeRef, reasonFor } from './worktree-remains.ts'
import { copyIncluded } from './worktree-include.ts'
import { runStep } from './worktree-step.ts'
import { fence, holding, type World } from './world.ts'

/** Parallel `git worktree add` races on what all worktrees share, so one process registers at a time. */
export const BUILDER = 'worktree-builder'

/**
 * Makes the folder and branch of a worktree that is wanted, and readies it. What fails is undone and leaves no row;
 * the refusal says why. Repeated after a crash it begins anew with the folder, in which nobody can have worked yet.
 *
 * The files are written in a folder that no other process knows, and moved to their place whole. So a builder that was
 * stopped and wakes up after another one has finished can reach only what is its own.
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

/** Leases the port and runs the configured setup, in the folder where it will be used. */
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

/** The branch, where it is missing, and a worktree of it without files; gives the commit that it stands on. */
const register = async (held: World, wanted: WorktreeWork, site: string): Promise<string> => {
  const { name, branch, path } = wanted
  const { root } = held.core
  await clearRemains(held, wanted)
  refuseTaken(path)
  const existing = await commitOf(root, branchRef(branch))
  if (existing !== undefined) await refuseCheckedOut(root, branch)
  const from = existing ?? (await forkPoint(root, wanted))
  openSite(site)
  const environment = builderMarkers(root, name)
  await fence(held)
  await patiently(async () => {
    if (existing === undefined && (await commitOf(root, branchRef(branch))) === undefined) await makeBranch(root, wanted, from)
    await git(root, ['worktree', 'add', '--no-checkout', '--lock', '--reason', reasonFor(name), '--end-of-options', site, branch], { environment })
  })
  return from
}

/** Also a link that leads nowhere: git would write through it. */
const refuseTaken = (path: string): void => {
  if (lstatSync(path, { throwIfNoEntry: false })) throw new Refusal('path_exists', `${path} already exists; choose another worktree name or move it away.`)
}

/** Moves the finished folder to its place. Git's record of it names the place first: cut off between the two, both are found. */
const putInPlace = async (held: World, { path }: WorktreeWork, site: string): Promise<void> => {
  const registration = registrationOf(held.core.root, site)
  await fence(held)
  refuseTaken(path)
  pointTo(registration, site, path)
  renameSync(site, path)
  rmdirSync(dirname(site))
}

/** A tag of the same name is not what is meant. */
const forkPoint = async (root: string, { branch, source }: WorktreeWork): Promise<string> => {
  const from = (await commitOf(root, branchRef(source))) ?? (await commitOf(root, source))
  if (from === undefined)
    throw new Refusal(
      'not_found',
      `There is no branch ${source} to fork ${branch} from. Set integration.target in .aiswarm/config.yaml to your main branch, or name one with --source.`,
    )
  return from
}

const refuseCheckedOut = async (root: string, branch: string): Promise<void> => {
  const elsewhere = (await checkouts(root)).find((checkout) => checkout.branch === branchRef(branch))
  if (!elsewhere) return
  const way = existsSync(elsewhere.path) ? 'choose another branch, or switch that checkout to one' : `that folder is gone, so run 'git worktree prune' and try again`
  throw new Refusal('invalid_state', `The branch ${branch} is checked out in ${elsewhere.path}; ${way}.`)
}

/** The branch and a note that it is ours to undo, both or neither. */
const makeBranch = async (root: string, { name, branch }: WorktreeWork, from: string): Promise<void> => {
  await git(root, ['update-ref', '-m', `aiswarm: worktree ${name}`, '--stdin'], { input: `create ${branchRef(branch)} ${from}\nupdate ${madeRef(name)} ${from}\n` })
}

/** Files pass through the filters that the repository's own configuration names, and an agent can write there. */
const refuseUntrustedFilters = async (world: World): Promise<void> => {
  if (await checkGuard(world)) return
  const lines = (await perform(world.core, readGuard, {}, world.actor))?.changed?.lines ?? []
  if (lines.some((line) => /^\+ config filter\./i.test(line)))
    throw new Refusal(
      'configuration_changed',
      "The repository's git configuration names filters for files that nobody has looked at; 'aiswarm worktree trust' shows the lines and takes your word.",
    )
}

/** Its files, which is what takes long: several worktrees at a time. As `git worktree add` would, but without the hooks of the repository. */
const checkOut = async (root: string, { name }: WorktreeWork, site: string): Promise<void> => {
  await git(site, ['reset', '--hard', '--quiet', '--no-recurse-submodules'], { environment: { ...(await withoutPrograms(site)), ...builderMarkers(root, name) }, timeout: LONG })
}

/** Milliseconds that git may be silent over the files of a large repository. */
const LONG = 30 * 60_000

/** Another git may hold a lock for a moment; one that stays is for a person to judge, and never removed. */
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

/** 2.3 s in all. */
const TRIES = 10
