import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/perform/perform.ts'
import { listAgents } from '../../operations/agents/list.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { recordRemoval } from '../../operations/worktrees/archive.ts'
import { adminFolderOf } from '../worktrees/admin-files.ts'
import { archiveWorktree } from './archiver.ts'
import type { Ended } from './record.ts'
import { commonFolder } from '../files/git-dir.ts'
import { endProcess } from '../processes/signals.ts'
import { identify } from '../processes/identity.ts'
import { processesInside, type ProcessInside } from '../processes/in-folder.ts'
import { holdFolder, letGo, moveToTrash } from '../worktrees/trash.ts'
import { clearRemains, removeRegistration } from '../worktrees/building-site.ts'
import { tearDown } from '../worktrees/setup.ts'
import { isFolder } from '../worktrees/folder.ts'
import { BUILDER } from '../worktrees/builder.ts'
import { openOwnGit } from '../sandbox/confinement.ts'
import { importBranch, releaseBase, releaseGit } from '../worktree-git/branch.ts'
import { administrationOf, branchIn, isMade, setAside, worktreeGitAt } from '../worktree-git/folder.ts'
import { fence, holding } from '../lease.ts'
import type { World } from '../world.ts'

/**
 * Removes the folder of an ended worktree: archives everything in it, proves the archive, then moves the folder to the
 * trash unchanged. Content that cannot be archived stays. Returns false while its agents are still stopping. After a
 * crash at any point it continues, because the archive and the place in the trash are named after the time of the end.
 */
export const removeWorktree = async (world: World, worktree: WorktreeWork): Promise<boolean> => {
  const { core, actor } = world
  const live = await perform(core, listAgents, { worktree: worktree.name }, actor)
  if (live.length > 0) return false
  try {
    // Refuses a link before any process is killed or anything is deleted through it. Any other replacement by an agent
    // is archived as it is.
    isFolder(worktree.path)
    // One whose move was undone while this host built it: nothing has worked there.
    if (worktree.baseOid === null && worktree.continues !== null)
      await holding(world, BUILDER, (held) => clearRemains(held, worktree))
    await refuseStrangers(world, worktree)
    await tearDown(world, worktree)
    await vacate(world, worktree)
    await importAll(world, worktree)
    const ended = endedOf(world, worktree)
    const { archive, trashPath } = await archiveAndMove(world, ended)
    await perform(
      core,
      recordRemoval,
      {
        name: worktree.name,
        archiveRef: archive?.ref ?? null,
        trashPath,
        tar: archive?.tar ?? null,
        census: archive?.census ?? null,
      },
      actor,
    )
    failed.delete(worktree.path)
  } catch (error) {
    if (isRefusal(error) && error.code === 'role_lost') throw error
    failed.set(worktree.path, performance.now())
    throw stopped(worktree, error)
  }
  return true
}

/** Holds the folder from before the archive until it is in the trash, so that the folder moved is the one archived. */
const archiveAndMove = async (world: World, ended: Ended) => {
  const { root } = world.core
  const admin = adminFolderOf(commonFolder(root)!, ended.path)
  const [folder, registration] = [holdFolder(ended.path), admin === undefined ? undefined : holdFolder(admin)]
  try {
    const archive = await archiveWorktree(root, ended)
    await fence(world)
    const trashPath = moveToTrash(root, ended, ended.endedAt, folder)
    if (registration !== undefined) await removeRegistration(registration)
    return { archive, trashPath }
  } finally {
    for (const one of [folder, registration]) if (one) letGo(one)
  }
}

/**
 * Brings what only the worktree's own git has into the repository, after the last process inside. What cannot come out
 * stays in that git, under another name.
 */
const importAll = async (world: World, { name, path }: WorktreeWork): Promise<void> => {
  const { root } = world.core
  const admin = adminFolderOf(commonFolder(root)!, path)
  const own = admin === undefined ? undefined : worktreeGitAt(root, admin)
  if (own === undefined || !isMade(own)) return
  const git = await openOwnGit(world, own)
  if (git === undefined) {
    world.report(
      `Worktree ${name}: nothing can be confined now; its git stays in ${setAside(own)} until you delete it.`,
    )
    return
  }
  const ref = branchIn(administrationOf(git.own))
  const said = ref === null ? undefined : await importBranch(git, ref, `aiswarm: commits of worktree ${name}`)
  if (said !== undefined) world.report(said)
  const left = await releaseGit(git)
  if (left !== undefined)
    world.report(`Worktree ${name}: ${left.why}; its git stays in ${left.place} until you delete it.`)
  await releaseBase(git.own)
}

/** Milliseconds before a loop retries a refused removal, because archiving a large folder is expensive. */
const REST = 30_000

const failed = new Map<string, number>()

/** True for a while after this process failed to remove the worktree. */
export const isResting = ({ path }: Pick<WorktreeWork, 'path'>, now: number): boolean =>
  now - (failed.get(path) ?? -Infinity) < REST

const endedOf = ({ core }: World, { status, endedAt, ...worktree }: WorktreeWork): Ended => ({
  ...worktree,
  status: status === 'integrated' ? 'integrated' : 'discarded',
  endedAt: endedAt!,
  target: core.settings.integration.target,
})

/** A process in the folder that no agent started is named, and blocks the removal. */
const refuseStrangers = async ({ core }: World, { path }: WorktreeWork): Promise<readonly ProcessInside[]> => {
  const inside = await processesInside(core.root, path)
  const foreign = inside.filter(({ ours }) => !ours)
  if (foreign.length > 0) throw new Refusal('folder_in_use', whoIsInside(foreign))
  return inside
}

/** Kills processes that agents left running in the folder. */
const vacate = async (world: World, worktree: WorktreeWork): Promise<void> => {
  const { core } = world
  for (const { pid } of await refuseStrangers(world, worktree)) {
    const identity = identify(pid)
    if (identity && !(await endProcess(identity, core.settings.lease.terminateGrace)))
      throw new Refusal('folder_in_use', `process ${pid} of an agent runs there and does not exit`)
  }
}

const whoIsInside = (processes: readonly { pid: number; name: string }[]): string => {
  const [first] = processes
  const one = `process ${first!.pid} (${first!.name})`
  return processes.length === 1
    ? `${one} runs there; stop it or make it leave the folder`
    : `${one} and ${processes.length - 1} more run there; stop them or make them leave the folder`
}

/** One sentence: which worktree stays, and why. An error of the file system counts as a reason too. */
const stopped = ({ name, path }: WorktreeWork, error: unknown): unknown => {
  const system = error as NodeJS.ErrnoException
  const why = isRefusal(error) ? error.message : reasonOf(system)
  if (
    why === undefined ||
    (isRefusal(error) && !['archive_failed', 'folder_in_use', 'git_failed', 'git_misled'].includes(error.code))
  )
    return error
  return new Refusal(
    isRefusal(error) ? error.code : 'archive_failed',
    `The folder of worktree ${name} stays in ${path}, and nothing is lost: ${why.replace(/\.$/, '')}.`,
    {
      cause: error,
    },
  )
}

const reasonOf = ({ code, path, message }: NodeJS.ErrnoException): string | undefined => {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full; make room'
  if (code === 'EACCES' || code === 'EPERM')
    return `${path ?? 'something in it'} cannot be read or moved; check its permissions`
  return code === undefined ? undefined : message
}
