import { workRef } from '../../domain/host/remote.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { readWishes, WorktreeWork } from '../../operations/supervision/wishes.ts'
import { recordPushed } from '../../operations/hosts/locations.ts'
import { branchRef, commitOf, commitsOf, contains } from '../git/commits.ts'
import { putRef, type Remote } from '../remote/remote.ts'
import { pushHead } from '../remote/pushed-branches.ts'
import { targetsPrint } from '../watch/targets.ts'
import type { World } from '../world.ts'

type Wishes = Awaited<ReturnType<(typeof readWishes)['run']>>

/** How long commits of an agent that still works may be only on its host (ms). */
const AT_MOST = 60_000

/** Since when each worktree of a host has commits that are not on the remote (ms of the monotonic clock). */
const unpushed = new WeakMap<World['core'], Map<string, number>>()

/** For how long a host has had commits that are not on the remote (ms); null if it has none. */
export const unpushedFor = (core: World['core'], now: number): number | null => {
  const since = [...(unpushed.get(core)?.values() ?? [])]
  return since.length === 0 ? null : Math.round(now - Math.min(...since))
}

/**
 * The branches of this host's worktrees as a source of jobs: pushed when their agents are done or an integration is
 * requested, and once a minute while an agent commits. Asks git only when a file of their refs has changed.
 */
export const pushJobsOf = (world: World) => {
  const { root } = world.core
  let print = ''
  let tips: ReadonlyMap<string, string> = new Map()
  const since = new Map<string, number>()
  unpushed.set(world.core, since)
  return async ({ remote, worktrees, runs }: Wishes, now: number) => {
    const own = remote === null ? [] : worktrees.filter(({ folder }) => folder === 'ready')
    for (const name of since.keys()) if (!own.some((worktree) => worktree.name === name)) since.delete(name)
    if (remote === null) return []
    const branches = own.map(({ branch }) => branch)
    const seen = [...branches, targetsPrint(root, branches)].join('\n')
    if (seen !== print) tips = await commitsOf(root, branches.map(branchRef))
    print = seen
    return own.flatMap((worktree) => {
      const { name, branch, baseOid, pushedOid, pushedAt, requestedAt } = worktree
      const tip = tips.get(branchRef(branch))
      const isAsked = requestedAt !== null && (pushedAt === null || pushedAt < requestedAt)
      const isNew = tip !== pushedOid && !(pushedOid === null && tip === baseOid)
      if (tip === undefined || !(isAsked || isNew)) {
        since.delete(name)
        return []
      }
      since.set(name, since.get(name) ?? now)
      const isBusy = runs.some((run) => run.worktree === name && run.process === 'started' && run.doneAt === null)
      if (!isAsked && isBusy && now - since.get(name)! < AT_MOST) return []
      return [{ key: `push ${name}`, run: () => pushWork(world, { root, ...remote }, worktree) }]
    })
  }
}

const pushWork = async (world: World, remote: Remote, worktree: WorktreeWork): Promise<void> => {
  const { core, actor, report } = world
  const { name, branch, pushedOid } = worktree
  const tip = await commitOf(core.root, branchRef(branch))
  if (tip === undefined) return
  const replaced = await putRef(remote, { ref: workRef(name), oid: tip, expected: pushedOid })
  if (replaced !== undefined && !(await isEarlier(core.root, replaced, tip)))
    report(
      `Another program had changed ${workRef(name)} on the remote; it is the branch of worktree ${name} again. Look at who may push there.`,
    )
  await pushHead(world, remote, worktree, tip)
  await perform(core, recordPushed, { worktree: name, oid: tip }, actor)
}

const isEarlier = async (root: string, oid: string, tip: string): Promise<boolean> =>
  (await commitOf(root, oid)) !== undefined && contains(root, tip, oid)
