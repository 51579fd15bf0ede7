import { setTimeout as sleep } from 'node:timers/promises'
import type { Wish } from '../../contracts/outside.ts'
import { wipRef, workRef } from '../../domain/host/remote.ts'
import { CONFIGURATION_CHANGED } from '../../domain/integration/trusted-configuration.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { recordRule } from '../../operations/integration/configuration-drift.ts'
import { hostOf } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import type {
  AgentRun,
  EndedAttempt,
  PutBackWork,
  RestoreWork,
  RuleWork,
  WorktreeWork,
} from '../../operations/supervision/wishes.ts'
import { isResting, removeWorktree } from '../archive/remover.ts'
import { restoreWorktree } from '../archive/restorer.ts'
import { checkGuard } from '../guard/guard.ts'
import { rememberRule } from '../guard/trusted-configuration.ts'
import { moveWork } from '../hosts/code-exchange.ts'
import { type OpenIntegration, prepareIntegration } from '../integration/candidate.ts'
import { landQueue } from '../integration/merge-queue.ts'
import { putBack } from '../integration/target-reset.ts'
import { exclusive, type Job, type Wishes } from '../job.ts'
import { dropHead } from '../remote/pushed-branches.ts'
import { dropRef } from '../remote/remote.ts'
import { remoteOf } from '../remote/tips.ts'
import { recordCommitsOf } from '../runs/commits.ts'
import { launch } from '../runs/launcher.ts'
import { endLingering, inspect, pause, resume, settle, stop } from '../runs/termination.ts'
import { wishesOf } from '../wishes.ts'
import { buildWorktree } from '../worktrees/builder.ts'
import type { World } from '../world.ts'
import type { RunningJobs } from './running-jobs.ts'

/** All work that the rows ask for. */
export const jobsOf = (
  world: World,
  wishes: Wishes,
  firstSeenDead: Map<string, number>,
  now: number,
  maxParallel = Infinity,
): readonly Job[] => {
  const ready = new Map([...wishes.worktrees, ...wishes.elsewhere].map((worktree) => [worktree.name, worktree]))
  return [
    ...inTurn(wishes.runs, maxParallel).flatMap((run) => jobOfRun(world, run, firstSeenDead, now) ?? []),
    ...wishes.worktrees.flatMap((worktree) => jobOfWorktree(world, worktree) ?? []),
    ...wishes.restores.map((restore) => restoreJob(world, restore)),
    ...wishes.putBacks.map((work) => putBackJob(world, work)),
    ...wishes.rules.map((work) => ruleJob(world, work)),
    ...wishes.attempts.map((attempt) => commitsJob(world, attempt)),
    ...(wishes.configurationChanged ? [guardJob(world)] : []),
    ...wishes.integrations.flatMap(
      (integration) => jobOfIntegration(world, integration, ready.get(integration.worktree)) ?? [],
    ),
  ]
}

/** Leaves out agents that other agents spawned if there is no room for them yet; a person's agents start at once. */
const inTurn = (runs: Wishes['runs'], maxParallel: number): Wishes['runs'] => {
  let room =
    maxParallel - runs.filter((run) => run.process === 'started' || (run.process === 'wanted' && !run.ofAgent)).length
  return runs.filter((run) => run.process !== 'wanted' || !run.ofAgent || run.stopRequestedAt !== null || room-- > 0)
}

/** The work that belongs to one wish, for a surface that waits for it. */
export const jobsFor = (world: World, wishes: Wishes, wish: Wish): readonly Job[] => {
  if (wish.kind === 'all') return wish.wishes.flatMap((each) => jobsFor(world, wishes, each))
  if (wish.kind === 'stop_agent')
    return wishes.runs
      .filter((run) => run.agentId === wish.agentId && run.stopRequestedAt !== null)
      .map((run) => stopJob(world, run))
  if (wish.kind === 'record_commits')
    return wishes.attempts
      .filter((attempt) => attempt.taskId === wish.taskId)
      .map((attempt) => commitsJob(world, attempt))
  if (wish.kind === 'project_session') return []
  if (wish.kind === 'allow_rule')
    return wishes.rules
      .filter(({ personaId, rule }) => personaId === wish.personaId && rule === wish.rule)
      .map((work) => ruleJob(world, work))
  if (wish.kind === 'put_back_target')
    return wishes.putBacks.filter(({ target }) => target === wish.target).map((work) => putBackJob(world, work))
  if (wish.kind === 'restore_worktree')
    return wishes.restores
      .filter(({ worktree }) => worktree === wish.worktree)
      .map((restore) => restoreJob(world, restore))
  const worktree = [...wishes.worktrees, ...wishes.elsewhere].find(({ name }) => name === wish.worktree)
  if (!worktree) return []
  if (wish.kind === 'build_worktree') return worktree.folder === 'building' ? [buildJob(world, worktree)] : []
  if (wish.kind === 'move_worktree') return worktree.moves && !worktree.isElsewhere ? [moveJob(world, worktree)] : []
  if (wish.kind === 'prepare_integration' || wish.kind === 'land_integration') {
    return wishes.integrations
      .filter((integration) => integration.worktree === worktree.name)
      .flatMap((integration) => jobOfIntegration(world, integration, worktree) ?? [])
  }
  const stops = wishes.runs
    .filter((run) => run.worktree === worktree.name && run.stopRequestedAt !== null)
    .map((run) => stopJob(world, run))
  return worktree.folder === 'leaving' ? (stops.length > 0 ? stops : [removeJob(world, worktree)]) : []
}

/** Milliseconds for which a surface waits for its wish; a verification may take long. */
const PATIENCE = 30 * 60_000

/** Runs the jobs of the wish until no row asks for more. */
export const carryOut = async (world: World, wish: Wish): Promise<void> => {
  const until = performance.now() + PATIENCE
  while (performance.now() < until) {
    const jobs = jobsFor(world, await wishesOf(world), wish)
    if (jobs.length === 0) return afterwards(world, wish)
    const done = await Promise.all(jobs.map((job) => job.run()))
    if (done.includes(false)) await sleep(100)
  }
  throw new Refusal('database_busy', 'This takes longer than 30 minutes; a supervisor continues it.')
}

/** A completed integration is followed by the removal of its worktree. */
const afterwards = async (world: World, wish: Wish): Promise<void> => {
  if (wish.kind === 'land_integration') await carryOut(world, { kind: 'remove_worktree', worktree: wish.worktree })
}

/** How many rows want something of this host, now or later. */
export const wantedHere = ({ runs, worktrees, restores, attempts }: Wishes): number =>
  runs.length +
  restores.length +
  attempts.length +
  worktrees.filter(({ folder, moves }) => folder !== 'ready' || moves).length

/** Agents are listened to at every beat: a person may be waiting for a question of theirs. */
export const beginTalks = (acting: World, runs: Wishes['runs'], jobs: RunningJobs, now: number): void => {
  for (const run of acting.talks.due(acting, runs)) {
    const key = `talk ${run.agentId}`
    if (jobs.mayBegin(key, now)) jobs.begin(key, () => acting.talks.pump(acting, run))
  }
}

const jobOfRun = (world: World, run: AgentRun, firstSeenDead: Map<string, number>, now: number): Job | undefined => {
  if (run.process === 'waiting') return undefined
  const finding = run.process === 'started' ? inspect(world.core, run, firstSeenDead, now) : undefined
  if (finding === 'ended' || finding === 'vanished')
    return exclusive(world, `run ${run.agentId}`, async (held, wishes) => {
      const still = wishes.runs.find(
        (one) => one.agentId === run.agentId && one.run === run.run && one.process === 'started',
      )
      return still && settle(held, still, finding)
    })
  if (run.stopRequestedAt !== null) return stopJob(world, run)
  if (isLingering(run, firstSeenDead, now)) return { key: `run ${run.agentId}`, run: () => endLingering(world, run) }
  if (run.process === 'started' && run.held && run.pausedAt === null)
    return { key: `run ${run.agentId}`, run: () => pause(world, run) }
  if (!run.held && run.pausedAt !== null) return { key: `run ${run.agentId}`, run: () => resume(world, run) }
  return run.process === 'wanted' ? { key: `run ${run.agentId}`, run: () => launch(world, run) } : undefined
}
const stopJob = (world: World, run: AgentRun): Job => ({
  key: `run ${run.agentId}`,
  run: () => stop(world, run),
})

/** An agent whose attempt has ended must exit within this time (ms); then its processes are killed. */
const GOODBYE = 60_000

/** `firstSeen` records, by the clock of `now`, when the end of the attempt was first seen. */
const isLingering = (run: AgentRun, firstSeen: Map<string, number>, now: number): boolean => {
  const key = `done ${run.agentId}.${run.run}`
  if (run.process !== 'started' || run.doneAt === null) {
    firstSeen.delete(key)
    return false
  }
  if (!firstSeen.has(key)) firstSeen.set(key, now)
  return now - firstSeen.get(key)! > GOODBYE
}

const jobOfWorktree = (world: World, worktree: WorktreeWork): Job | undefined => {
  if (worktree.folder === 'building') return buildJob(world, worktree)
  if (worktree.folder === 'ready' && worktree.moves) return moveJob(world, worktree)
  return worktree.folder === 'leaving' && !isResting(worktree, performance.now())
    ? removeJob(world, worktree)
    : undefined
}

const jobOfIntegration = (
  world: World,
  integration: OpenIntegration,
  worktree: WorktreeWork | undefined,
): Job | undefined => {
  if (!worktree || worktree.folder !== 'ready') return undefined
  if (worktree.isElsewhere && !isPushed(worktree)) return undefined
  if (integration.status !== 'requested' && integration.status !== 'verifying')
    return { key: `landing:${integration.target}`, run: () => landQueue(world, integration.target) }
  return exclusive(world, `integration:${worktree.name}`, async (held, wishes) => {
    const still = wishes.integrations.find(
      ({ id, status }) => id === integration.id && (status === 'requested' || status === 'verifying'),
    )
    return still && prepareIntegration(held, still, worktree)
  })
}

/**
 * The host of a worktree pushes its branch when an integration is requested, and says that this is all of it. If it cannot
 * be reached, what it has pushed before is merged.
 */
const isPushed = ({ requestedAt, pushedAt, isAway }: WorktreeWork): boolean =>
  requestedAt === null || (pushedAt !== null && (isAway || pushedAt >= requestedAt))

const buildJob = (world: World, worktree: WorktreeWork): Job => worktreeJob(world, worktree, 'building', buildWorktree)
const moveJob = (world: World, worktree: WorktreeWork): Job =>
  exclusive(world, `worktree:${worktree.name}`, async (held, wishes) => {
    const still = wishes.worktrees.find(({ name, moves }) => name === worktree.name && moves)
    const { remote, snapshots } = wishes
    return still && remote !== null ? moveWork(held, { remote, snapshots }, still) : undefined
  })
const removeJob = (world: World, worktree: WorktreeWork): Job =>
  worktreeJob(world, worktree, 'leaving', async (held, one) => {
    const removed = await removeWorktree(held, one)
    if (removed) await dropRefs(held, one)
    return removed
  })

/** Deletes refs on the remote that a removed worktree needed. */
const dropRefs = async (world: World, worktree: WorktreeWork): Promise<void> => {
  const { name, status, pushedOid, wipOid, successor } = worktree
  const remote = await remoteOf(world)
  if (remote === undefined) return
  // The target has its commits.
  if (status === 'integrated' && pushedOid !== null) {
    await dropRef(remote, workRef(name), pushedOid)
    await dropHead(world, remote, worktree)
  }
  // The one that continues it may not have its files yet.
  if (wipOid !== null && successor === null) await dropRef(remote, wipRef(hostOf(world.core)!, name), wipOid)
}

const restoreJob = (world: World, restore: RestoreWork): Job =>
  exclusive(world, `worktree:${restore.worktree}`, async (held, wishes) => {
    const still = wishes.restores.find(({ worktree, ref }) => worktree === restore.worktree && ref === restore.ref)
    return still && restoreWorktree(held, still)
  })

/** Waits while a merge into the same target runs. */
const putBackJob = (world: World, work: PutBackWork): Job =>
  exclusive(world, `landing:${work.target}`, async (held, wishes) => {
    const still = wishes.putBacks.find(({ target, askedAt }) => target === work.target && askedAt === work.askedAt)
    return still && putBack(held, still)
  })

/** A rule is written once, also by a process that finds it already in the file. */
const ruleJob = (world: World, { requestId, personaId, rule }: RuleWork): Job =>
  exclusive(world, `rule:${requestId}`, async (held, wishes) => {
    if (!wishes.rules.some((still) => still.requestId === requestId)) return
    await rememberRule(held, personaId, rule)
    await perform(held.core, recordRule, { requestId }, held.actor)
  })

const commitsJob = (world: World, attempt: EndedAttempt): Job =>
  exclusive(world, `commits:${attempt.taskId}`, async (held, wishes) => {
    const still = wishes.attempts.find(
      ({ taskId, attempt: number }) => taskId === attempt.taskId && number === attempt.attempt,
    )
    return still && recordCommitsOf(held, still)
  })

/** Checks whether a person has restored the configuration; otherwise integrations wait, which is reported. */
const guardJob = (world: World): Job => ({
  key: 'configuration',
  run: async () => {
    if (!(await checkGuard(world))) throw new Refusal('configuration_changed', CONFIGURATION_CHANGED)
  },
})

const worktreeJob = (
  world: World,
  { name, createdAt }: WorktreeWork,
  folder: WorktreeWork['folder'],
  work: (held: World, worktree: WorktreeWork) => Promise<boolean | void>,
): Job =>
  exclusive(world, `worktree:${name}`, async (held, wishes) => {
    const still = wishes.worktrees.find(
      (one) => one.name === name && one.createdAt === createdAt && one.folder === folder,
    )
    return still && work(held, still)
  })
