import { CONFIGURATION_CHANGED } from '../../domain/integration/trusted-configuration.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Wish } from '../../contracts/outside.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { EndedAttempt, RuleWork } from '../../operations/supervision/wishes.ts'
import { recordRule } from '../../operations/integration/configuration-drift.ts'
import { rememberRule } from '../guard/trusted-configuration.ts'
import { checkGuard } from '../guard/guard.ts'
import { wishesOf } from '../wishes.ts'
import { recordCommitsOf } from '../runs/commits.ts'
import type { World } from '../world.ts'
import { exclusive, type Job, type Wishes } from '../job.ts'
import type { RunningJobs } from './running-jobs.ts'
import { jobOfRun, stopJob } from './run-jobs.ts'
import {
  buildJob,
  jobOfIntegration,
  jobOfWorktree,
  moveJob,
  putBackJob,
  removeJob,
  restoreJob,
} from './worktree-jobs.ts'

export { wishesOf }

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

/** Checks whether a person has restored the configuration; otherwise integrations wait, which is reported. */
const guardJob = (world: World): Job => ({
  key: 'configuration',
  run: async () => {
    if (!(await checkGuard(world))) throw new Refusal('configuration_changed', CONFIGURATION_CHANGED)
  },
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
