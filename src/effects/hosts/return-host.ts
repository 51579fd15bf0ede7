import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { LOST } from '../../domain/host/host.ts'
import { isRefusal, isUndecided } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import { countOf } from '../../domain/words/counts.ts'
import type { Instant } from '../../domain/words/time.ts'
import { readLostRuns, returnHost } from '../../operations/failover/returned-hosts.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { keepReturned } from '../archive/archiver.ts'
import type { Ended } from '../archive/record.ts'
import { runFolder } from '../files/paths.ts'
import { renewSecret } from '../files/secret.ts'
import { commitOf } from '../git/commits.ts'
import { checkouts } from '../git/repository.ts'
import { endGroup, endMarked } from '../processes/signals.ts'
import { isMarked, processesMarked } from '../processes/table.ts'
import { putRef, type Remote } from '../remote/remote.ts'
import { remoteOf } from '../remote/tips.ts'
import { livenessOfRun, markers } from '../runs/identity.ts'
import { reasonFor } from '../worktrees/admin-files.ts'
import { stampOf } from '../worktrees/trash.ts'
import type { World } from '../world.ts'

/**
 * Brings a host back that was declared lost. Its agents have ended on the board and their tasks may be worked on elsewhere,
 * so their processes are killed first; then every worktree is kept as it is now, and stays. False while a process still
 * runs.
 */
export const comeBack = async (world: World, hostId: string): Promise<boolean> => {
  const { core, actor, report } = world
  const { runs, worktrees, restored, known } = await perform(core, readLostRuns, { hostId }, actor)
  for (const run of runs) {
    const isOver = run.identity === null || livenessOfRun(core.root, run) === 'dead'
    if (run.identity !== null && !isOver && !(await endGroup(run.identity, core.settings.lease.terminateGrace)))
      return false
    await endMarked(markers(core.root, run))
  }
  await endAllRuns(core.root)
  const at = core.store.now?.() ?? core.clock()
  const kept = []
  const all = restored ? [...worktrees, ...(await unknownWorktrees(core.root, known, at))] : worktrees
  for (const worktree of all) kept.push(await keep(world, hostId, asEnded(world, worktree, at)))
  if (restored) {
    putRunsAside(core.root, at)
    renewSecret(core.root)
  }
  const { name, returned } = await perform(core, returnHost, { hostId, kept }, actor)
  if (returned)
    report(
      `Host ${name} ${restored ? 'is back on the restored board' : 'was declared lost and is back'}; its former agents were stopped, and ${countOf(kept.length, 'worktree')} of it kept as found.`,
    )
  return true
}

/** Worktrees of this host that a restored board does not know: they were made after the time to which it was restored. */
const unknownWorktrees = async (root: string, known: readonly string[], at: Instant): Promise<readonly Worktree[]> =>
  (await checkouts(root)).flatMap(({ path, branch, lock }) => {
    const name = lock?.startsWith(reasonFor('')) === true ? lock.slice(reasonFor('').length).split(',')[0]! : undefined
    if (name === undefined || branch === null || known.includes(name)) return []
    const own = branch.replace('refs/heads/', '')
    return [{ name, branch: own, source: own, path, baseOid: null, createdAt: at }]
  })

type Worktree = Awaited<ReturnType<(typeof readLostRuns)['run']>>['worktrees'][number]

/** An archive names the end of its worktree; this one has none, but its host was lost. */
const asEnded = ({ core }: World, worktree: Worktree, at: Instant): Ended => ({
  ...worktree,
  status: 'discarded',
  reason: LOST,
  endedAt: at,
  target: core.settings.integration.target,
})

interface Kept {
  readonly worktree: string
  readonly ref: string | null
  readonly problem: string | null
  readonly pushed: boolean
}

/** A worktree that cannot be kept stays as it is, and does not keep the host away; a person reads why. */
const keep = async (world: World, hostId: string, worktree: Ended): Promise<Kept> => {
  const { root } = world.core
  try {
    const ref = await keepReturned(root, hostId, worktree)
    return { worktree: worktree.name, ref, problem: null, pushed: ref !== null && (await pushed(world, ref)) }
  } catch (error) {
    const refusal = asRefusal(error)
    if (refusal === undefined) throw error
    world.report(`The files of worktree ${worktree.name} could not be kept as found: ${refusal.message}`)
    return { worktree: worktree.name, ref: null, problem: refusal.message, pushed: false }
  }
}

const pushed = async (world: World, ref: string): Promise<boolean> => {
  try {
    const remote: Remote | undefined = await remoteOf(world)
    const oid = await commitOf(world.core.root, ref)
    if (remote === undefined || oid === undefined) return false
    await putRef(remote, { ref, oid, expected: null })
    return true
  } catch (error) {
    if (!isRefusal(error) || isUndecided(error)) throw error
    world.report(`${error.message} ${ref} is on this host only.`)
    return false
  }
}

// Runs that only the disk of this host knows: the board was restored to a time before they began.

type Run = Pick<AgentRun, 'agentId' | 'run'>

const FILE = /^(.+)\.(\d+)\.\w+$/

const filesOfRuns = (root: string): readonly { readonly name: string; readonly run: Run }[] =>
  readdirSync(runFolder(root)).flatMap((name) => {
    const [, agentId, run] = FILE.exec(name) ?? []
    return agentId === undefined ? [] : [{ name, run: { agentId, run: Number(run) } }]
  })

/** Kills the processes of every run that this host has ever had; none of them counts on the board any more. */
const endAllRuns = async (root: string): Promise<void> => {
  const here = processesMarked({ AISWARM_ROOT: root })
  const seen = new Set<string>()
  for (const { run } of filesOfRuns(root)) {
    const key = `${run.agentId} ${run.run}`
    if (seen.has(key)) continue
    seen.add(key)
    const marked = markers(root, run)
    if (here.some((pid) => isMarked(pid, marked))) await endMarked(marked)
  }
}

/** Puts the files of all runs aside, since the board gives out their numbers again. */
const putRunsAside = (root: string, at: Instant): void => {
  const files = filesOfRuns(root)
  if (files.length === 0) return
  const aside = join(runFolder(root), `before-${stampOf(at)}`)
  mkdirSync(aside, { recursive: true, mode: 0o700 })
  for (const { name } of files) renameSync(join(runFolder(root), name), join(aside, name))
}
