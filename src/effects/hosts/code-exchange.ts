import { type NamedRemote, wipRef, workRef } from '../../domain/host/remote.ts'
import { isRefusal, isUndecided, Refusal } from '../../domain/rules/refusal.ts'
import { someOf } from '../../domain/words/counts.ts'
import { recordPushed, recordSnapshot } from '../../operations/hosts/locations.ts'
import { recordFollowed } from '../../operations/integration/drift-detection.ts'
import { hostOf, isHome } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { readWishes, WorktreeWork } from '../../operations/supervision/wishes.ts'
import { moveWorktree, refuseMove } from '../../operations/worktrees/moves.ts'
import { branchRef, commitOf, commitsOf, contains } from '../git/commits.ts'
import { landingOwn } from '../guard/own-configuration.ts'
import type { Moved } from '../integration/move.ts'
import { moveTarget } from '../integration/mover.ts'
import { withSnapshot } from '../radar/snapshot.ts'
import { remoteJobsOf } from '../remote/availability.ts'
import { pushHead } from '../remote/pushed-branches.ts'
import { dropRef, putRef, type Remote } from '../remote/remote.ts'
import { fetchTarget } from '../remote/tips.ts'
import { targetsPrint } from '../watch/targets.ts'
import { provenFolder } from '../worktrees/folder.ts'
import type { World } from '../world.ts'

// The exchange of code between hosts through the git remote: branches, uncommitted work, worktrees that move,
// targets.

/** The exchange of code through the remote as a source of jobs of a host; without a remote there are none. */
export const exchangeJobsOf = (world: World) => {
  const [push, follow, snapshot] = [pushJobsOf(world), followJobsOf(world), snapshotJobsOf(world)]
  const standing = remoteJobsOf(world)
  return async (wishes: Awaited<ReturnType<(typeof readWishes)['run']>>, now: number) =>
    wishes.remote === null
      ? []
      : [
          ...standing(wishes.remote.url, now),
          ...(await push(wishes, now)),
          ...follow(wishes, now),
          ...snapshot(wishes, now),
        ]
}

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
const pushJobsOf = (world: World) => {
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

// Uncommitted work of this host's worktrees on the remote, for the worktree that continues one elsewhere: only if a person
// allows it, never ignored files or files with secrets, and at most once a minute.

type WishesToSnapshot = Awaited<ReturnType<(typeof readWishes)['run']>>

/** The least time between two snapshots of a worktree (ms). */
const BETWEEN = 60_000

/** The snapshots of this host as a source of jobs. */
export const snapshotJobsOf = (world: World) => {
  const due = new Map<string, number>()
  const said = new Map<string, string>()
  return ({ remote: named, snapshots, worktrees }: WishesToSnapshot, now: number) => {
    const host = hostOf(world.core)
    if (named === null || host === null) return []
    const remote: Remote = { root: world.core.root, ...named }
    const own = worktrees.filter(({ folder }) => folder === 'ready')
    if (!snapshots) return own.flatMap((one) => (one.wipOid === null ? [] : [endJob(world, remote, host, one)]))
    return own.flatMap((worktree) => {
      const { name } = worktree
      if (now < (due.get(name) ?? -Infinity)) return []
      const run = async (): Promise<void> => {
        due.set(name, now + BETWEEN)
        const { remark } = await pushSnapshot(world, { remote, host }, worktree)
        if (remark !== null && said.get(name) !== remark)
          world.report(`The snapshot of ${name} is not whole: ${remark}.`)
        said.set(name, remark ?? '')
      }
      return [{ key: `wip ${name}`, run }]
    })
  }
}

const endJob = (world: World, remote: Remote, host: string, { name, wipOid }: WorktreeWork) => ({
  key: `wip ${name}`,
  run: async (): Promise<void> => {
    await dropRef(remote, wipRef(host, name), wipOid!)
    await perform(world.core, recordSnapshot, { worktree: name, oid: null }, world.actor)
  },
})

/** The result of a snapshot. */
interface Taken {
  /** Its commit; null if nothing is uncommitted. */
  readonly oid: string | null
  /** The part that is missing in it; null if it has everything that git does not ignore. */
  readonly remark: string | null
}

/** Pushes the uncommitted work of a worktree, or deletes the last snapshot if there is none any more. */
export const pushSnapshot = (
  { core, actor }: World,
  { remote, host }: { readonly remote: Remote; readonly host: string },
  { name, branch, path, wipOid }: Pick<WorktreeWork, 'name' | 'branch' | 'path' | 'wipOid'>,
): Promise<Taken> =>
  withSnapshot(
    core.root,
    { name, branchName: branch, path },
    core.settings.integration.target,
    async ({ oid, objects, remark, leftOut, failed }) => {
      const named = (what: string, files: readonly string[]): readonly string[] =>
        files.length === 0 ? [] : [`it leaves out files ${what}: ${someOf(files, 5)}`]
      const why = [
        ...(remark === null ? [] : [remark]),
        ...named('with secrets', leftOut.secret),
        ...named('larger than 8 MB', leftOut.long),
      ]
      const taken = { oid: objects === null ? null : oid, remark: why.length === 0 ? null : why.join('; ') }
      // A folder that could not be read proves nothing.
      const isUnread = failed || (taken.oid === null && remark !== null)
      if (isUnread || taken.oid === wipOid) return taken
      if (taken.oid === null) await dropRef(remote, wipRef(host, name), wipOid!)
      else await putRef({ ...remote, objects: objects! }, { ref: wipRef(host, name), oid, expected: wipOid })
      await perform(core, recordSnapshot, { worktree: name, oid: taken.oid }, actor)
      return taken
    },
    { leaves: true },
  )

/**
 * Pushes everything that a worktree of this host has, so that another one can continue it elsewhere, and says so on the
 * board. If something cannot travel, the worktree stays, and the board says why.
 */
export const moveWork = async (
  world: World,
  { remote: named, snapshots }: { readonly remote: NamedRemote; readonly snapshots: boolean },
  worktree: WorktreeWork,
): Promise<void> => {
  const { core, actor } = world
  const { name } = worktree
  const remote: Remote = { root: core.root, ...named }
  try {
    await provenFolder(world, name)
    const oid = await pushAll(remote, worktree, () =>
      snapshots ? travelling(world, remote, worktree) : refuseUncommitted(world, worktree),
    )
    await perform(core, recordPushed, { worktree: name, oid }, actor)
    await perform(core, moveWorktree, { worktreeName: name, oid }, actor)
  } catch (error) {
    if (!isRefusal(error) || isUndecided(error)) throw error
    await perform(core, refuseMove, { worktreeName: name, problem: error.message }, actor)
    throw error
  }
}

/** How often the branch is pushed again because it got a commit meanwhile. */
const TRIES = 5

/**
 * Pushes the branch until it is where it was before the push: no agent begins in a worktree that moves, but a process may
 * commit there that none has started. Returns the commit.
 */
const pushAll = async (
  remote: Remote,
  { name, branch, pushedOid }: WorktreeWork,
  files: () => Promise<void>,
): Promise<string> => {
  let expected = pushedOid
  for (let tries = 0; tries < TRIES; tries++) {
    const oid = await commitOf(remote.root, branchRef(branch))
    if (oid === undefined) throw new Refusal('not_found', `The branch ${branch} of ${name} is gone.`)
    await putRef(remote, { ref: workRef(name), oid, expected })
    await files()
    if ((await commitOf(remote.root, branchRef(branch))) === oid) return oid
    expected = oid
  }
  throw new Refusal(
    'would_lose_work',
    `Worktree ${name} gets commits again and again, so it cannot be moved. End what commits there, then move it.`,
  )
}

const travelling = async (world: World, remote: Remote, worktree: WorktreeWork): Promise<void> => {
  const { remark } = await pushSnapshot(world, { remote, host: hostOf(world.core)! }, worktree)
  if (remark !== null)
    throw new Refusal(
      'would_lose_work',
      `Not all uncommitted work of ${worktree.name} can travel: ${remark}. Commit or remove it, then move the worktree.`,
    )
}

const refuseUncommitted = ({ core: { root, settings } }: World, { name, branch, path }: WorktreeWork): Promise<void> =>
  withSnapshot(root, { name, branchName: branch, path }, settings.integration.target, ({ uncommitted, remark }) => {
    if (uncommitted.size > 0)
      throw new Refusal(
        'would_lose_work',
        `Worktree ${name} has uncommitted files: ${someOf([...uncommitted], 5)}. Commit them, or let them travel with 'aiswarm fleet snapshots on'.`,
      )
    if (remark !== null) throw new Refusal('would_lose_work', `Worktree ${name} cannot be moved: ${remark}.`)
    return Promise.resolve()
  })

// With several hosts, the target is the branch on the remote; those of the clones follow it.

type WishesToFollow = Awaited<ReturnType<(typeof readWishes)['run']>>

/** How long a branch that cannot follow is left alone (ms). */
const REST = 60_000

/** The targets of this clone as a source of jobs: they follow the remote after each integration, and at the beginning. */
export const followJobsOf = (world: World) => {
  const { root } = world.core
  /** The last integration that each target has followed, and when it is tried again. */
  const followed = new Map<string, number>()
  const due = new Map<string, { readonly id: number; readonly at: number }>()
  return ({ remote, landed }: WishesToFollow, now: number) =>
    remote === null
      ? []
      : landed.flatMap(({ target, id }) => {
          const rest = due.get(target)
          if (followed.get(target) === id || (rest?.id === id && now < rest.at)) return []
          const run = async (): Promise<void> => {
            due.set(target, { id, at: performance.now() + REST })
            await followTarget(world, { root, ...remote }, target)
            followed.set(target, id)
          }
          return [{ key: `follow ${target}`, run }]
        })
}

/**
 * Brings the branch of this clone to where the remote has it, with its checkout, as far as that overwrites nothing of a
 * person's. Refuses with the reason if it cannot.
 */
const followTarget = async (world: World, remote: Remote, target: string): Promise<void> => {
  const to = await fetchTarget(remote, target)
  const from = await commitOf(remote.root, branchRef(target))
  if (to === undefined || from === undefined) return
  if (!(await contains(remote.root, to, from))) {
    if (await contains(remote.root, from, to)) return
    throw new Refusal(
      'target_dirty',
      `The branch ${target} of this clone has commits that the remote has not, so it does not follow. Rebase or merge it.`,
    )
  }
  const moved = await follow(world, { target, from, to })
  if (moved.kind === 'held' || moved.kind === 'stale')
    throw new Refusal(
      'target_dirty',
      `The branch ${target} of this clone does not follow the remote: ${moved.problem.replace(/,? ?(?:then approve again|aiswarm merges again)\.$/, '.')}`,
    )
}

const follow = async (
  world: World,
  { target, from, to }: { readonly target: string; readonly from: string; readonly to: string },
): Promise<Moved> => {
  const { core, actor } = world
  const message = `aiswarm: ${target} follows the remote`
  const move = () => moveTarget(core.root, { id: 0, target, from, to, message, landed: false, resumed: false })
  if (!isHome(core)) return move()
  const moved = await landingOwn(world, { from, to, isRead: false }, move)
  if (moved.kind === 'moved' && from !== to) await perform(core, recordFollowed, { target, from, to }, actor)
  return moved
}
