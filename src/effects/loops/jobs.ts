import { setImmediate as turn } from 'node:timers/promises'
import type { z } from 'zod'
import { CONFIGURATION_CHANGED } from '../../domain/integration/integration.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { dispatch } from '../../operations/loops/dispatch.ts'
import { perform } from '../../operations/door/perform.ts'
import type { Wish } from '../../contracts/outside.ts'
import type { AgentRun, EndedAttempt, PutBackWork, RestoreWork, WorktreeWork } from '../../operations/loops/read-wishes.ts'
import { renew } from '../../operations/loops/renew.ts'
import { sweep } from '../../operations/loops/sweep.ts'
import { type OpenIntegration, prepareIntegration } from '../integration/candidate.ts'
import { checkGuard } from '../guard/guard.ts'
import { sampleRuns } from '../processes/left-processes.ts'
import { landQueue } from '../integration/queue.ts'
import { launch } from '../runs/launcher.ts'
import { look } from '../wishes.ts'
import { keepPaused, pause, resume } from '../runs/pauser.ts'
import { inspect, settle } from '../runs/reaper.ts'
import { isResting, removeWorktree } from '../archive/remover.ts'
import { restoreWorktree } from '../archive/restorer.ts'
import { recordCommitsOf } from '../runs/record-commits.ts'
import { endLingering, stop } from '../runs/stopper.ts'
import { buildWorktree } from '../worktrees/builder.ts'
import { putBack } from '../integration/put-back.ts'
import { unlessRoleLost, whileHolding, type World } from '../world.ts'

/** A piece of outside work; its `key` keeps it from running twice at once. */
export interface Job {
  readonly key: string
  /** Resolves to false if the work is incomplete and must be retried. */
  run(): Promise<boolean | void>
}

export { look }

type Wishes = Awaited<ReturnType<typeof look>>

/** All work that the rows ask for. */
export const jobsOf = (world: World, wishes: Wishes, firstSeenDead: Map<string, number>, now: number, maxParallel = Infinity): readonly Job[] => {
  const ready = new Map(wishes.worktrees.map((worktree) => [worktree.name, worktree]))
  return [
    ...inTurn(wishes.runs, maxParallel).flatMap((run) => jobOfRun(world, run, firstSeenDead, now) ?? []),
    ...wishes.worktrees.flatMap((worktree) => jobOfWorktree(world, worktree) ?? []),
    ...wishes.restores.map((restore) => restoreJob(world, restore)),
    ...wishes.putBacks.map((work) => putBackJob(world, work)),
    ...wishes.attempts.map((attempt) => commitsJob(world, attempt)),
    ...(wishes.configurationChanged ? [guardJob(world)] : []),
    ...wishes.integrations.flatMap((integration) => jobOfIntegration(world, integration, ready.get(integration.worktree)) ?? []),
  ]
}

/** Leaves out agents that other agents spawned if there is no room for them yet; a person's agents start at once. */
const inTurn = (runs: Wishes['runs'], maxParallel: number): Wishes['runs'] => {
  let room = maxParallel - runs.filter((run) => run.process === 'started' || (run.process === 'wanted' && !run.ofAgent)).length
  return runs.filter((run) => run.process !== 'wanted' || !run.ofAgent || run.stopRequestedAt !== null || room-- > 0)
}

/** The work that belongs to one wish, for a surface that waits for it. */
export const jobsFor = (world: World, wishes: Wishes, wish: Wish): readonly Job[] => {
  if (wish.kind === 'stop_agent') return wishes.runs.filter((run) => run.agentId === wish.agentId && run.stopRequestedAt !== null).map((run) => stopJob(world, run))
  if (wish.kind === 'record_commits') return wishes.attempts.filter((attempt) => attempt.taskId === wish.taskId).map((attempt) => commitsJob(world, attempt))
  if (wish.kind === 'allow_rule' || wish.kind === 'project_session') return []
  if (wish.kind === 'put_back_target') return wishes.putBacks.filter(({ target }) => target === wish.target).map((work) => putBackJob(world, work))
  if (wish.kind === 'restore_worktree') return wishes.restores.filter(({ worktree }) => worktree === wish.worktree).map((restore) => restoreJob(world, restore))
  const worktree = wishes.worktrees.find(({ name }) => name === wish.worktree)
  if (!worktree) return []
  if (wish.kind === 'build_worktree') return worktree.folder === 'building' ? [buildJob(world, worktree)] : []
  if (wish.kind === 'prepare_integration' || wish.kind === 'land_integration') {
    return wishes.integrations.filter((integration) => integration.worktree === worktree.name).flatMap((integration) => jobOfIntegration(world, integration, worktree) ?? [])
  }
  const stops = wishes.runs.filter((run) => run.worktree === worktree.name && run.stopRequestedAt !== null).map((run) => stopJob(world, run))
  return worktree.folder === 'leaving' ? (stops.length > 0 ? stops : [removeJob(world, worktree)]) : []
}

/** Renews the leases of living agents. Separate from the jobs, because it depends on the clock. */
export const renewLiving = async (world: World, wishes: Wishes, firstSeenDead: Map<string, number>, now: number): Promise<void> => {
  keepPaused(wishes.runs)
  sampleRuns(wishes.runs)
  // An agent that is to be started, or whose fate is unknown, must not lose its task to the sweep.
  const agentIds = wishes.runs.filter((run) => run.process !== 'started' || !['ended', 'vanished'].includes(inspect(world.core, run, firstSeenDead, now))).map((run) => run.agentId)
  if (agentIds.length > 0) await perform(world.core, renew, { agentIds }, world.actor)
}

/**
 * Reads the new output of agents: tokens, cost, context use and progress of commands are shown while they work.
 * Separate from the jobs, because it depends on the clock.
 */
export const followJobs = (world: World, wishes: Wishes): readonly Job[] =>
  wishes.runs.filter((run) => run.process === 'started').map((run) => ({ key: `output ${run.agentId}`, run: () => world.reports.follow(world, run) }))

/** `stood`: this process was stopped for a while, and perhaps all others with it. */
export const sweepSilent = (world: World, stood = false) => perform(world.core, sweep, stood ? { stood } : {}, world.actor)

/**
 * Starts the tasks that can start and returns which did. On a large board with many blocked tasks it yields between two
 * checks.
 */
export const dispatchTasks = async (world: World, maxParallel: number): Promise<Pick<z.output<typeof dispatch.output>, 'started' | 'missing'>> => {
  const look = (behind: z.input<typeof dispatch.input>['behind']) => perform(world.core, dispatch, { maxParallel, behind }, world.actor)
  let { next, started, missing } = await look(null)
  while (next !== null) {
    await turn()
    const more = await look(next)
    started = [...started, ...more.started]
    missing ??= more.missing
    next = more.next
  }
  return { started, ...(missing ? { missing } : {}) }
}

const jobOfRun = (world: World, run: AgentRun, firstSeenDead: Map<string, number>, now: number): Job | undefined => {
  if (run.process === 'waiting') return undefined
  const finding = run.process === 'started' ? inspect(world.core, run, firstSeenDead, now) : undefined
  if (finding === 'ended' || finding === 'vanished')
    return exclusive(world, `run ${run.agentId}`, async (held, wishes) => {
      const still = wishes.runs.find((one) => one.agentId === run.agentId && one.run === run.run && one.process === 'started')
      return still && settle(held, still, finding)
    })
  if (run.stopRequestedAt !== null) return stopJob(world, run)
  if (isLingering(run, firstSeenDead, now)) return { key: `run ${run.agentId}`, run: () => endLingering(world, run) }
  if (run.process === 'started' && run.held && run.pausedAt === null) return { key: `run ${run.agentId}`, run: () => pause(world, run) }
  if (!run.held && run.pausedAt !== null) return { key: `run ${run.agentId}`, run: () => resume(world, run) }
  return run.process === 'wanted' ? { key: `run ${run.agentId}`, run: () => launch(world, run) } : undefined
}

const jobOfWorktree = (world: World, worktree: WorktreeWork): Job | undefined => {
  if (worktree.folder === 'building') return buildJob(world, worktree)
  return worktree.folder === 'leaving' && !isResting(worktree, performance.now()) ? removeJob(world, worktree) : undefined
}

const jobOfIntegration = (world: World, integration: OpenIntegration, worktree: WorktreeWork | undefined): Job | undefined => {
  if (!worktree || worktree.folder !== 'ready') return undefined
  if (integration.status !== 'requested' && integration.status !== 'verifying') return { key: `landing:${integration.target}`, run: () => landQueue(world, integration.target) }
  return exclusive(world, `integration:${worktree.name}`, async (held, wishes) => {
    const still = wishes.integrations.find(({ id, status }) => id === integration.id && (status === 'requested' || status === 'verifying'))
    return still && prepareIntegration(held, still, worktree)
  })
}

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

/** Checks whether a person has restored the configuration; otherwise integrations wait, which is reported. */
const guardJob = (world: World): Job => ({
  key: 'configuration',
  run: async () => {
    if (!(await checkGuard(world))) throw new Refusal('configuration_changed', CONFIGURATION_CHANGED)
  },
})

const commitsJob = (world: World, attempt: EndedAttempt): Job =>
  exclusive(world, `commits:${attempt.taskId}`, async (held, wishes) => {
    const still = wishes.attempts.find(({ taskId, attempt: number }) => taskId === attempt.taskId && number === attempt.attempt)
    return still && recordCommitsOf(held, still)
  })
const stopJob = (world: World, run: AgentRun): Job => ({ key: `run ${run.agentId}`, run: () => stop(world, run) })
const buildJob = (world: World, worktree: WorktreeWork): Job => worktreeJob(world, worktree, 'building', buildWorktree)
const removeJob = (world: World, worktree: WorktreeWork): Job => worktreeJob(world, worktree, 'leaving', removeWorktree)
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

const worktreeJob = (
  world: World,
  { name, createdAt }: WorktreeWork,
  folder: WorktreeWork['folder'],
  work: (held: World, worktree: WorktreeWork) => Promise<boolean | void>,
): Job =>
  exclusive(world, `worktree:${name}`, async (held, wishes) => {
    const still = wishes.worktrees.find((one) => one.name === name && one.createdAt === createdAt && one.folder === folder)
    return still && work(held, still)
  })

/**
 * Work that only one process does at a time. Another process may have done it between the read of the rows and the
 * lease, so the rows are read again under the lease. If the lease is lost midway, the process that has it continues.
 */
const exclusive = (world: World, key: string, work: (held: World, wishes: Wishes) => Promise<boolean | void>): Job => ({
  key,
  run: async () => {
    const done = await unlessRoleLost(() => whileHolding(world, key, 0, async (held) => work(held, await look(held))))
    return done ? done.result : false
  },
})
