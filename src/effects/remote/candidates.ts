import { candidateFolder, candidateRef, wipFolder, wipRef } from '../../domain/host/remote.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readCandidates } from '../../operations/integration/merge.ts'
import { askGit, git } from '../git/git.ts'
import type { Job } from '../job.ts'
import type { World } from '../world.ts'
import { dropRef, listRemoteFolder, putRef, type Remote } from './remote.ts'
import { remoteOf } from './tips.ts'

// The merges that persons review: each has a ref, here and on the remote, for as long as it may be read or merged.

/** Creates a ref that keeps git from collecting the merge commit before it is merged. */
export const keepCandidate = (root: string, id: number, mergeOid: string): Promise<string> =>
  git(root, ['update-ref', candidateRef(id), mergeOid])

/** Every console reviews the merge, so it is on the remote before any hears of it. */
export const publishCandidate = async (
  remote: Remote | undefined,
  { id, mergeOid: expected }: { readonly id: number; readonly mergeOid: string | null },
  oid: string,
): Promise<void> => {
  if (remote !== undefined) await putRef(remote, { ref: candidateRef(id), oid, expected })
}

export const dropCandidate = async (
  root: string,
  remote: Remote | undefined,
  { id, mergeOid }: { readonly id: number; readonly mergeOid: string },
): Promise<void> => {
  await askGit(root, ['update-ref', '-d', candidateRef(id)], { answers: [1, 128] })
  if (remote !== undefined) await dropRef(remote, candidateRef(id), mergeOid)
}

/** How often refs that are not needed are looked for, and how long after the start for the first time (ms). */
const pace = { first: 30_000, every: 600_000 } as const

/** Deletes refs that a crash, a discarded worktree or an unreachable remote has left. */
export const candidateJobsOf = (world: World, begun: number): ((now: number) => readonly Job[]) => {
  let due = begun + pace.first
  return (now) => {
    if (now < due) return []
    due = now + pace.every
    return [{ key: 'candidates', run: () => sweepCandidates(world) }]
  }
}

/** Deletes the refs of merges that have landed, or whose worktree is gone: those of this clone, and those on the remote. */
const sweepCandidates = async (world: World): Promise<void> => {
  const { core, actor } = world
  const remote = await remoteOf(world)
  // Listed first: the integration of each listed ref is on the board by then.
  const here = await ofClone(core.root)
  const there =
    remote === undefined
      ? []
      : [...(await listRemoteFolder(remote, candidateFolder)), ...(await listRemoteFolder(remote, wipFolder))]
  const { candidates, snapshots } = await perform(core, readCandidates, {}, actor)
  const needed = new Set([
    ...candidates.map(candidateRef),
    ...snapshots.map(({ host, worktree }) => wipRef(host, worktree)),
  ])
  for (const ref of here)
    if (!needed.has(ref)) await askGit(core.root, ['update-ref', '-d', ref], { answers: [1, 128] })
  for (const [ref, oid] of there) if (!needed.has(ref)) await dropRef(remote!, ref, oid)
}

const ofClone = async (root: string): Promise<readonly string[]> =>
  (await git(root, ['for-each-ref', '--format=%(refname)', candidateFolder])).split('\n').filter(Boolean)
