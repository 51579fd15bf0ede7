import type { AgentKind } from '../../agents/kind/kind.ts'
import { addReading, emptyReport, type Report } from '../../agents/reading/report.ts'
import { type LeftProcess, reachedWords } from '../../domain/agent/agent.ts'
import { isRefusal, isUndecided } from '../../domain/rules/refusal.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { readRun } from '../../operations/runs/reports.ts'
import { settleRun } from '../../operations/runs/ends.ts'
import { commitWork } from './commit-work.ts'
import { endLimits, reachedLimit } from '../sandbox/limits.ts'
import { takeOverRest } from '../sandbox/run.ts'
import { noticeChanges } from '../guard/guard.ts'
import { exitCodeOf } from './exit-record.ts'
import { markers } from './environment.ts'
import { ownSecrets } from '../processes/environment.ts'
import { leftOf } from '../processes/left-processes.ts'
import { wishesOf } from '../wishes.ts'
import { outputPath } from '../files/paths.ts'
import { lastLine, readOutput, writtenAt } from '../processes/output.ts'
import { endMarked } from '../processes/signals.ts'
import { livenessOfRun } from './begun.ts'
import { readLastReports } from '../session-files/reports.ts'
import { memoryOf } from './memory.ts'
import { problemOf } from './run-record.ts'
import { noticeAfterRun } from '../watch/checkout.ts'
import type { World } from '../world.ts'

/** A process without an exit record is dead if two checks this far apart find it so (ms). */
export const SECOND_LOOK = 2000

export type Finding = 'alive' | 'ended' | 'vanished' | 'unknown'

/** The state of a run's process. `firstSeenDead` records runs that were found dead once. */
export const inspect = (
  core: World['core'],
  run: AgentRun,
  firstSeenDead: Map<string, number>,
  now: number,
): Finding => {
  const key = `${run.agentId}.${run.run}`
  const liveness = livenessOfRun(core.root, run)
  // A record counts once the shim that wrote it is gone, because the shim writes it last.
  if (liveness !== 'alive' && exitCodeOf(core, run) !== null) return 'ended'
  if (liveness !== 'dead') {
    firstSeenDead.delete(key)
    return liveness
  }
  const first = firstSeenDead.get(key)
  if (first === undefined) firstSeenDead.set(key, now)
  return first !== undefined && now - first >= SECOND_LOOK ? 'vanished' : 'unknown'
}

/** Settles a run whose process has ended: commits the changes of a command, and records the result for the task. */
export const settle = async (world: World, run: AgentRun, finding: 'ended' | 'vanished'): Promise<void> => {
  const { core, actor } = world
  await endMarked(markers(core.root, run))
  await takeOverRest(world, run)
  await endLimits(world, run)
  const left = await leftBehind(world, run)
  const exitCode = finding === 'ended' ? exitCodeOf(core, run) : null
  await world.talks.finish(world, run)
  const said = await world.reports.finish(world, run)
  if (world.kinds.get(run.kind)?.exitDecides !== true) await readLastReports(world, run.agentId)
  const verdict = await judge(world, run, exitCode, said?.report)
  const memory = await memoryOf(world, run, said)
  // Changes that the run made to git's or aiswarm's configuration are reported at its end, not when the next
  // integration stops for them, and while the run still counts as running: a later check would attribute them to a
  // person. It comes first, so that a repeat after a crash checks again.
  await noticeChanges(world)
  await noticeAfterRun(world, run)
  await perform(
    core,
    settleRun,
    {
      agentId: run.agentId,
      run: run.run,
      exitCode,
      verdict,
      memory,
      denied: deniedIn(said?.report),
      left,
      ...(said ? { report: said.record, use: said.use } : {}),
    },
    actor,
  )
}

/** The processes of a killed run that still run at the time of the call. */
export const leftBehind = async (world: World, run: AgentRun): Promise<LeftProcess[]> => {
  const { runs, worktrees } = await wishesOf(world)
  return leftOf(world.core.root, run, worktrees.find(({ name }) => name === run.worktree)?.path ?? null, runs)
    .slice(0, 100)
    .map(({ pid, name }) => ({ pid, name: name.slice(0, 100) }))
}

/** The actions that a CLI denied its agent, in the form in which they are recorded. */
export const deniedIn = (report: Report | undefined): { tool: string; about: string }[] =>
  (report?.denied ?? [])
    .slice(0, 50)
    .map(({ name, about }) => ({ tool: name.slice(0, 200), about: maskSecrets(about).slice(0, 4000) }))

/** The reason of its end, if reported; otherwise its last message, or the last other output. */
const lastWords = ({ ended, said, noted }: Report): string =>
  (ended?.ok === false ? ended.sentence : '') || (said ?? noted ?? '')

type Verdict =
  | { kind: 'completed'; resultData: { exitCode: number; commits: string[] } }
  | { kind: 'failed'; error: string }
  | { kind: 'lost'; why: string }
  | { kind: 'unavailable'; why: string; resetsAt: string | null }

/** The part of the end of an output that is searched (bytes). */
const ENDING = 16_384

/** A report from the end of a plain-text output. */
const endingReport = async (
  { core, actor }: World,
  run: AgentRun,
  kind: AgentKind | undefined,
): Promise<Report | undefined> => {
  if (!kind?.ending) return undefined
  const path = outputPath(core.root, run.agentId)
  const { outputOffset } = await perform(core, readRun, { agentId: run.agentId, run: run.run }, actor)
  const { text, next } = await readOutput(path, { tail: ENDING })
  // The file may contain earlier runs of the same agent.
  const own = Buffer.from(text)
    .subarray(Math.max(0, outputOffset - (next - Buffer.byteLength(text))))
    .toString('utf8')
  return kind.ending(own, await writtenAt(path)).reduce(addReading, emptyReport)
}

/**
 * The result of a run for a task that it still holds. The CLI's own report takes precedence over the exit code, which
 * proves little.
 */
const judge = async (
  world: World,
  run: AgentRun,
  exitCode: number | null,
  report: Report | undefined,
): Promise<Verdict> => {
  const kind = world.kinds.get(run.kind)
  const reached = exitCode === 0 ? undefined : reachedLimit(world.core.root, run)
  if (reached !== undefined) return { kind: 'unavailable', why: reachedWords(run.agentId, reached), resetsAt: null }
  const told = report ?? (await endingReport(world, run, kind))
  const problem = told === undefined ? null : problemOf(told)
  if (problem !== null)
    return {
      kind: 'unavailable',
      why: maskSecrets(`${run.agentId} (${run.kind}) could not work: ${problem}`).slice(0, 4000),
      resetsAt: told?.limited?.resetsAt ?? null,
    }
  if (exitCode === null) return { kind: 'lost', why: `The process of ${run.agentId} vanished without an exit record.` }
  const last = maskSecrets(
    report === undefined ? await lastLine(outputPath(world.core.root, run.agentId)) : lastWords(report),
    ownSecrets(),
  ).slice(0, 2000)
  const said = last === '' ? '' : `: ${last}`
  if (exitCode !== 0) return { kind: 'failed', error: `${run.agentId} ended with exit code ${exitCode}${said}` }
  if (!kind?.exitDecides)
    return {
      kind: 'failed',
      error: `no-artifact: ${run.agentId} ended with exit code 0 without completing its task${said}`,
    }
  try {
    return { kind: 'completed', resultData: { exitCode, commits: await commitWork(world, run) } }
  } catch (error) {
    if (!isRefusal(error) || isUndecided(error)) throw error
    return { kind: 'failed', error: `The command succeeded, but its work could not be committed: ${error.message}` }
  }
}
