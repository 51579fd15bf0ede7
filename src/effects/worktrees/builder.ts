import { renameSync, rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { readGuard } from '../../operations/integration/configuration.ts'
import { recordWorktree } from '../../operations/worktrees/building.ts'
import { buildingSite, pointTo, registrationOf } from './building-site.ts'
import { askGit, git } from '../git/git.ts'
import { continuedTip, forkOnRemote } from '../remote/tips.ts'
import { beginRevert } from './undo.ts'
import { withoutPrograms } from '../git/drivers.ts'
import { checkGuard, cloneOf } from '../guard/guard.ts'
import { recordServed, worktreeEnvironment } from './ports.ts'
import { inodeOf } from './place.ts'
import { buildRefusal } from './problems.ts'
import { builderMarkers, clearRemains, madeRef } from './remains.ts'
import { copyIncluded } from './include.ts'
import { runStep } from './step.ts'
import { fence, holding } from '../lease.ts'
import type { World } from '../world.ts'
import { refuseTaken, register } from './register.ts'

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

/** Leases the port and runs the configured setup in the final folder. */
const setUp = async (world: World, worktree: Pick<WorktreeWork, 'name' | 'branch' | 'path'>): Promise<void> => {
  const { root, settings } = world.core
  const environment = await worktreeEnvironment(world, worktree.name)
  const { setup, setupTimeout } = settings.worktrees
  if (setup === '') return
  const step = {
    name: 'setup',
    command: setup,
    timeout: setupTimeout,
    environment: { ...environment, ...builderMarkers(root, worktree.name) },
  } as const
  await fence(world)
  const problem = await runStep(world, worktree, step)
  if (problem !== undefined) throw new Refusal('setup_failed', problem)
  await recordServed(world, worktree.name)
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
