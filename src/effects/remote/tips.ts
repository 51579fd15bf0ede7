import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { candidateRef, nameOn, trackedRef, wipRef, workRef, worktreeOfRef } from '../../domain/host/remote.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { refusalOfWords } from '../../domain/rules/system-error.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { readContinued, recordPushed } from '../../operations/hosts/locations.ts'
import { readRemote } from '../../operations/hosts/remote.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { branchRef, commitOf, commitsOf, contains } from '../git/commits.ts'
import { firstLineOf, git, type GitAnswer } from '../git/git.ts'
import type { World } from '../world.ts'
import { listed, onRemote, type Remote, type Run, unreachable } from './remote.ts'

// Where branches are: on the remote, where several hosts exchange code, otherwise here.

type Looking = Pick<World, 'core' | 'actor'>

/** The remote through which the hosts of the board exchange code; undefined if they do not. */
export const remoteOf = async ({ core, actor }: Looking): Promise<Remote | undefined> => {
  if (core.host === undefined) return undefined
  const { used } = await perform(core, readRemote, {}, actor)
  return used === null ? undefined : { root: core.root, ...used }
}

/** The commit of a target: that of the remote, unless the branch is not there. */
export const fetchTarget = async (remote: Remote, target: string): Promise<string | undefined> =>
  (await fetchRefs(remote, new Map([[branchRef(target), trackedRef(target)]]))).get(branchRef(target)) ??
  commitOf(remote.root, branchRef(target))

/** The commits of a target and of a worktree's branch. */
export interface Ends {
  readonly targetOid: string | undefined
  readonly branchOid: string | undefined
  /** Why the commits of the branch cannot be had from the remote. */
  readonly problem?: string
}

/**
 * The ends of a merge. Undefined if the work of another host is not on the remote as that host has recorded: it is then
 * asked to push it again. If that host is away, what is there counts, if it contains what was recorded.
 */
export const endsOf = async (
  { core, actor }: Looking,
  remote: Remote | undefined,
  target: string,
  worktree: Pick<WorktreeWork, 'name' | 'branch' | 'isElsewhere' | 'isAway' | 'pushedOid'>,
): Promise<Ends | undefined> => {
  const { name, branch, isElsewhere, isAway, pushedOid } = worktree
  const { root } = core
  if (remote === undefined) {
    const refs = [branchRef(target), branchRef(branch)] as const
    const found = await commitsOf(root, refs)
    return { targetOid: found.get(refs[0]), branchOid: found.get(refs[1]) }
  }
  if (!isElsewhere)
    return { targetOid: await fetchTarget(remote, target), branchOid: await commitOf(root, branchRef(branch)) }
  let problem: string | undefined
  const found = await fetchRefs(
    remote,
    new Map([
      [branchRef(target), trackedRef(target)],
      [workRef(name), workRef(name)],
    ]),
    (ref, why) => {
      if (ref !== workRef(name)) throw why
      problem = why.message
    },
  )
  if (problem !== undefined) return { targetOid: found.get(branchRef(target)), branchOid: undefined, problem }
  const branchOid = found.get(workRef(name))
  // A host that lost the board before it lost the remote could not record its last push.
  const known = isAway && pushedOid !== null ? await commitOf(root, pushedOid) : undefined
  const isLater = known !== undefined && branchOid !== undefined && (await contains(root, branchOid, known))
  if (branchOid === undefined || (branchOid !== pushedOid && !isLater)) {
    await perform(core, recordPushed, { worktree: name, oid: null }, actor)
    return undefined
  }
  return { targetOid: found.get(branchRef(target)) ?? (await commitOf(root, branchRef(target))), branchOid }
}

/** The commits of these worktrees' branches, of those that are elsewhere as they are on the remote. */
export const branchesOf = async (
  root: string,
  remote: Remote | undefined,
  worktrees: readonly { readonly worktree: string; readonly branch: string; readonly isElsewhere: boolean }[],
): Promise<ReadonlyMap<string, string | undefined>> => {
  const refOf = ({ worktree, branch, isElsewhere }: (typeof worktrees)[number]): string =>
    isElsewhere ? workRef(worktree) : branchRef(branch)
  const [here, away] = [false, true].map((isAway) =>
    worktrees.filter(({ isElsewhere }) => isElsewhere === isAway).map(refOf),
  ) as [string[], string[]]
  const local = here.length === 0 ? new Map<string, string>() : await commitsOf(root, here)
  const fetched =
    remote === undefined || away.length === 0
      ? new Map<string, string>()
      : await fetchRefs(remote, new Map(away.map((ref) => [ref, ref])), noneFor)
  return new Map(worktrees.map((one) => [one.worktree, (one.isElsewhere ? fetched : local).get(refOf(one))] as const))
}

/** A merge whose branch git refuses is made again, which says why. */
const noneFor = (): void => {}

/** A revision that names the target as last fetched from the remote, otherwise the branch here. */
export const targetRevision = async ({ core }: Looking, remote: Remote | undefined, target: string): Promise<string> =>
  remote !== undefined && (await commitOf(core.root, trackedRef(target))) !== undefined
    ? trackedRef(target)
    : branchRef(target)

/**
 * The commit from which a new branch forks: that of the remote, unless the branch here contains it. Undefined without a
 * remote, or if the branch is not there. Without an answer, what is known here counts, which is reported.
 */
export const forkOnRemote = async (world: World, source: string): Promise<string | undefined> => {
  const remote = await remoteOf(world)
  if (remote === undefined) return undefined
  const { root } = remote
  try {
    await fetchRefs(remote, new Map([[branchRef(source), trackedRef(source)]]))
  } catch (error) {
    world.report(
      `${error instanceof Error ? error.message : String(error)} The worktree begins with what this host knows of ${source}.`,
    )
  }
  const there = await commitOf(root, trackedRef(source))
  const here = await commitOf(root, branchRef(source))
  return there !== undefined && here !== undefined && (await contains(root, here, there)) ? here : there
}

/** The last push of a worktree that another one continues. */
interface Continued {
  readonly tip: string
  /** A commit on top of it with its uncommitted work; undefined without one. */
  readonly snapshot: string | undefined
}

/**
 * The last push of the worktree that this one continues; undefined if it continues none, or nothing was pushed. If that one
 * has pushed nothing, since its host was lost too, what it continued itself counts. Refuses while the remote does not
 * answer: without that commit, work would be done again.
 */
export const continuedTip = async (
  world: World,
  { continues }: Pick<WorktreeWork, 'continues'>,
): Promise<Continued | undefined> => {
  if (continues === null) return undefined
  const remote = await remoteOf(world)
  if (remote === undefined) return undefined
  for (const former of await perform(world.core, readContinued, { worktree: continues }, world.actor)) {
    const found = await pushedOf(remote, former)
    if (found !== undefined) return found
  }
  return undefined
}

/** The last push of one of them; undefined if the remote has none. */
const pushedOf = async (
  remote: Remote,
  { name, hostId, wipOid }: { readonly name: string; readonly hostId: string; readonly wipOid: string | null },
): Promise<Continued | undefined> => {
  const { root } = remote
  const [work, wip] = [workRef(name), wipRef(hostId, name)]
  const refs = new Map([[work, work], ...(wipOid === null ? [] : [[wip, wip] as const])])
  const found = await fetchRefs(remote, refs, (ref, why) => {
    // Without its uncommitted files it continues from the commits.
    if (ref === work) throw why
  })
  const [tip, snapshot] = [found.get(work), found.get(wip)]
  const parent = snapshot === undefined ? undefined : await commitOf(root, `${snapshot}^`)
  // A snapshot of what the branch was before is older than the branch.
  if (parent !== undefined && (tip === undefined || (await contains(root, parent, tip))))
    return { tip: parent, snapshot }
  return tip === undefined ? undefined : { tip, snapshot: undefined }
}

/** The refs that a review of a worktree compares, fetched from the remote where it is not of this host. */
export interface ReviewRefs {
  readonly branch: string
  readonly target: string
  /** False if the folder is on another host. */
  readonly isHere: boolean
}

/** Fetches what a review of a worktree needs. What the clone has already is enough if the remote does not answer. */
export const fetchForReview = async (
  world: Looking,
  {
    name,
    branch,
    target,
    isHere,
    integration,
  }: {
    readonly name: string
    readonly branch: string
    readonly target: string
    readonly isHere: boolean
    readonly integration: { readonly id: number; readonly mergeOid: string | null } | null
  },
): Promise<ReviewRefs> => {
  const { root } = world.core
  const local = { branch: branchRef(branch), target: branchRef(target), isHere }
  const remote = await remoteOf(world)
  if (remote === undefined) return local
  const refs = {
    branch: isHere ? branchRef(branch) : workRef(name),
    target: trackedRef(target),
    isHere,
  }
  const merge = integration?.mergeOid ?? null
  const wanted = new Map([
    [branchRef(target), trackedRef(target)],
    ...(isHere ? [] : [[workRef(name), workRef(name)] as const]),
    ...(merge === null || (await commitOf(root, merge)) !== undefined
      ? []
      : [[candidateRef(integration!.id), candidateRef(integration!.id)] as const]),
  ])
  try {
    await fetchRefs(remote, wanted)
  } catch (error) {
    const needed = merge ?? refs.branch
    if ((await commitOf(root, needed)) === undefined) throw error
  }
  return (await commitOf(root, refs.target)) === undefined ? { ...refs, target: local.target } : refs
}

/**
 * Fetches refs of the remote into refs of the clone, and returns their commits. One that is not on the remote is left out,
 * and so is its ref here. Nothing is transferred for a ref that is here as it is there. A ref with commits that git refuses,
 * which any agent can write, keeps none of the others away: `refused` is called for it, or it is thrown at the end. So is
 * the reason of a transfer that failed otherwise, which says nothing about the commits: another try may succeed.
 */
export const fetchRefs = async (
  remote: Remote,
  wanted: ReadonlyMap<string, string>,
  refused: (ref: string, why: Refusal) => void = (_, why) => {
    throw why
  },
): Promise<ReadonlyMap<string, string>> => {
  const { found, bad, failed } = await fetchEach(remote, wanted)
  for (const [ref, why] of bad) refused(ref, why)
  if (failed) throw failed
  return found
}

/** The refs whose commits git refuses, and why the transfer of another one failed. */
interface Untransferred {
  readonly bad: ReadonlyMap<string, Refusal>
  readonly failed?: Refusal
}

const fetchEach = (
  remote: Remote,
  wanted: ReadonlyMap<string, string>,
): Promise<Untransferred & { readonly found: ReadonlyMap<string, string> }> =>
  onRemote(remote, true, async (run, folder) => {
    const there = await listed(run, remote, [...wanted.keys()])
    const present = [...wanted].filter(([ref]) => there.has(ref))
    const before = await commitsOf(
      remote.root,
      present.map(([, here]) => here),
    )
    const isHere = ([ref, here]: readonly [string, string]): boolean => before.get(here) === there.get(ref)
    const changed = present.filter((one) => !isHere(one))
    const found = new Map(present.filter(isHere).map(([ref]) => [ref, there.get(ref)!] as const))
    const updates: string[] = []
    let untransferred: Untransferred = { bad: new Map() }
    if (changed.length > 0) {
      untransferred = await transfer(
        run,
        remote,
        changed.map(([ref]) => ref),
      )
      const { stdout } = await run(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/got'])
      const got = new Map(stdout.split('\n').map((line) => line.split(' ') as [string, string]))
      changed.forEach(([ref, here], n) => {
        const oid = got.get(`refs/got/${n}`)
        if (oid === undefined) return
        found.set(ref, oid)
        updates.push(`update ${here} ${oid}\n`)
      })
      rmSync(join(folder, 'packed-refs'), { force: true })
    }
    for (const [ref, here] of wanted) if (!there.has(ref)) updates.push(`delete ${here}\n`)
    if (updates.length > 0) await git(remote.root, ['update-ref', '--stdin'], { input: updates.join('') })
    return { found, ...untransferred }
  })

/** Transfers refs as `refs/got/0` and so on. If that fails and the remote still answers, each ref is transferred alone. */
const transfer = async (run: Run, remote: Remote, refs: readonly string[]): Promise<Untransferred> => {
  const fetch = (ones: readonly string[]): Promise<GitAnswer> =>
    run(
      [
        ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--end-of-options'],
        remote.url,
        ...ones.map((ref) => `+${nameOn(remote.refs ?? 'own', ref)}:refs/got/${refs.indexOf(ref)}`),
      ],
      [1, 128],
    )
  const all = await fetch(refs)
  const bad = new Map<string, Refusal>()
  if (all.exitCode === 0) return { bad }
  // If it is away, this says so, and it is left alone for a while.
  await listed(run, remote, refs)
  let failed: Refusal | undefined
  for (const ref of refs) {
    const { exitCode, stderr } = refs.length === 1 ? all : await fetch([ref])
    if (exitCode === 0) continue
    if (VERDICT.test(stderr)) bad.set(ref, refusedCommits(remote, ref, stderr))
    else failed ??= refusalOfWords(stderr, 'git fetch') ?? unreachable(remote.url, firstLineOf(stderr))
  }
  return failed ? { bad, failed } : { bad }
}

/** The words with which git refuses what it was sent. A full disk or a broken connection ends a transfer too. */
const VERDICT = /\bfsck\b|^error: object [0-9a-f]{40,64}: /m

const refusedCommits = ({ url }: Remote, ref: string, said: string): Refusal => {
  const subject = worktreeOfRef(ref) === undefined ? ref : `worktree ${worktreeOfRef(ref)}`
  const lines = said.split('\n')
  const reason = firstLineOf(lines.find((line) => VERDICT.test(line)) ?? said)
  return new Refusal(
    'git_failed',
    `Git does not take the commits of ${subject} from the git remote ${url}: ${maskSecrets(reason, [])}. Only they are left out; they must be made again there.`,
  )
}
