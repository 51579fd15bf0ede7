import { setImmediate as turn } from 'node:timers/promises'
import type { z } from 'zod'
import { CONFIGURATION_CHANGED } from '../domain/integration.ts'
import { Refusal } from '../domain/refusal.ts'
import { dispatch } from '../operations/dispatch.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { Wish } from '../operations/kernel/outside.ts'
import type { AgentRun, EndedAttempt, RestoreWork, WorktreeWork } from '../operations/read-wishes.ts'
import { renew } from '../operations/renew.ts'
import { sweep } from '../operations/sweep.ts'
import { type OpenIntegration, prepareIntegration } from './integration/candidate.ts'
import { checkGuard } from './integration/guard.ts'
import { sampleRuns } from './left-processes.ts'
import { landQueue } from './integration/queue.ts'
import { launch } from './launcher.ts'
import { look } from './look.ts'
import { keepPaused, pause, resume } from './pauser.ts'
import { inspect, settle } from './reaper.ts'
import { isResting, removeWorktree } from './archive/remover.ts'
import { restoreWorktree } from './archive/restorer.ts'
import { recordCommitsOf } from './record-commits.ts'
import { endLingering, stop } from './stopper.ts'
import { buildWorktree } from './worktree-builder.ts'
import { unlessRoleLost, whileHolding, type World } from './world.ts'

/** A piece of work that remains to be done outside; `key` keeps it from being done twice at once. */
export interface Job {
  readonly key: string
  /** False when it could not be finished yet and is to be tried again. */
  run(): Promise<boolean | void>
}

export { look }

type Wishes = Awaited<ReturnType<typeof look>>

/** Every piece of work that the rows say remains. */
export const jobsOf = (world: World, wishes: Wishes, firstSeenDead: Map<string, number>, now: number, maxParallel = Infinity): readonly Job[] => {
  const ready = new Map(wishes.worktrees.map((worktree) => [worktree.name, worktree]))
  return [
    ...inTurn(wishes.runs, maxParallel).flatMap((run) => jobOfRun(world, run, firstSeenDead, now) ?? []),
    ...wishes.worktrees.flatMap((worktree) => jobOfWorktree(world, worktree) ?? []),
    ...wishes.restores.map((restore) => restoreJob(world, restore)),
    ...wishes.attempts.map((attempt) => commitsJob(world, attempt)),
    ...(wishes.configurationChanged ? [guardJob(world)] : []),
    ...wishes.integrations.flatMap((integration) => jobOfIntegration(world, integration, ready.get(integration.worktree)) ?? []),
  ]
}

/** Without those that agents spawned and for which there is no room yet; what a person spawned starts at once. */
const inTurn = (runs: Wishes['runs'], maxParallel: number): Wishes['runs'] => {
  let room = maxParallel - runs.filter((run) => run.process === 'started' || (run.process === 'wanted' && !run.ofAgent)).length
  return runs.filter((run) => run.process !== 'wanted' || !run.ofAgent || run.stopRequestedAt !== null || room-- > 0)
}

/** The pieces of work that belong to one wish, as a surface asks for it. */
export const jobsFor = (world: World, wishes: Wishes, wish: Wish): readonly Job[] => {
  if (wish.kind === 'stop_agent') return wishes.runs.filter((run) => run.agentId === wish.agentId && run.stopRequestedAt !== null).map((run) => stopJob(world, run))
  if (wish.kind === 'record_commits') return wishes.attempts.filter((attempt) => attempt.taskId === wish.taskId).map((attempt) => commitsJob(world, attempt))
  if (wish.kind === 'allow_rule' || wish.kind === 'project_session') return []
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

/** Renews what is alive. Separate from the jobs, since it is due by the clock. */
export const renewLiving = async (world: World, wishes: Wishes, firstSeenDead: Map<string, number>, now: number): Promise<void> => {
  keepPaused(wishes.runs)
  sampleRuns(wishes.runs)
  // What is wanted or of unknown fate must not lose its task to the sweep.
  const agentIds = wishes.runs.filter((run) => run.process !== 'started' || !['ended', 'vanished'].includes(inspect(world.core, run, firstSeenDead, now))).map((run) => run.agentId)
  if (agentIds.length > 0) await perform(world.core, renew, { agentIds }, world.actor)
}

/** Reads on what agents print: their tokens, their cost, how full their context is and that a command goes on are told while they work. Separate from the jobs, since it is due by the clock. */
export const followJobs = (world: World, wishes: Wishes): readonly Job[] =>
  wishes.runs.filter((run) => run.process === 'started').map((run) => ({ key: `output ${run.agentId}`, run: () => world.reports.follow(world, run) }))

/** `stood`: this process stood still for a while, and perhaps everybody else with it. */
export const sweepSilent = (world: World, stood = false) => perform(world.core, sweep, stood ? { stood } : {}, world.actor)

/** Starts what can start, and says what did. Where most of a large board is held, others get their turn between two looks. */
export const dispatchTasks = async (world: World, maxParallel: number): Promise<Pick<z.output<typeof dispatch.output>, 'started'>> => {
  const look = (behind: z.input<typeof dispatch.input>['behind']) => perform(world.core, dispatch, { maxParallel, behind }, world.actor)
  let { next, started } = await look(null)
  while (next !== null) {
    await turn()
    const more = await look(next)
    started = [...started, ...more.started]
    next = more.next
  }
  return { started }
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

/** An agent whose attempt is over says goodbye within this time (ms); then its processes are ended. */
const GOODBYE = 60_000

/** `firstSeen` remembers, by the clock of `now`, when the end of the attempt was first seen. */
const isLingering = (run: AgentRun, firstSeen: Map<string, number>, now: number): boolean => {
  const key = `done ${run.agentId}.${run.run}`
  if (run.process !== 'started' || run.doneAt === null) {
    firstSeen.delete(key)
    return false
  }
  if (!firstSeen.has(key)) firstSeen.set(key, now)
  return now - firstSeen.get(key)! > GOODBYE
}

/** A person may have put the configuration back; else integrations wait for one, which is said. */
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
 * Work that of all processes one does at a time. Between the look at the rows and the role another process may have done
 * it, so the rows are read again under the role. Where the role is lost midway, the process that has it goes on.
 */
const exclusive = (world: World, key: string, work: (held: World, wishes: Wishes) => Promise<boolean | void>): Job => ({
  key,
  run: async () => {
    const done = await unlessRoleLost(() => whileHolding(world, key, 0, async (held) => work(held, await look(held))))
    return done ? done.result : false
  },
})
