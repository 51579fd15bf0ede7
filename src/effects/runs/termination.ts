import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { AgentKind } from '../../agents/kind/kind.ts'
import { addReading, emptyReport, type Report, type Trail } from '../../agents/reading/report.ts'
import { type LeftProcess, type ProcessIdentity, reachedWords } from '../../domain/agent/agent.ts'
import { isRefusal, isUndecided, Refusal } from '../../domain/rules/refusal.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { memoryUser } from '../../memory/dual-memory/user.ts'
import type { RunMemory } from '../../operations/memory/dual-memory.ts'
import { perform } from '../../operations/perform/perform.ts'
import { recordStop, settleRun } from '../../operations/runs/ends.ts'
import { recordPause } from '../../operations/runs/processes.ts'
import { readRun } from '../../operations/runs/reports.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { outputPath, runFolder, runPath } from '../files/paths.ts'
import { noticeChanges } from '../guard/guard.ts'
import { ownSecrets } from '../processes/environment.ts'
import { countsHere } from '../processes/identity.ts'
import { leftOf } from '../processes/left-processes.ts'
import { lastLine, readOutput, writtenAt } from '../processes/output.ts'
import { isVoid, readPid } from '../processes/shim.ts'
import { endGroup, endMarked, signalIfAlive } from '../processes/signals.ts'
import { endLimits, reachedLimit } from '../sandbox/limits.ts'
import { importRest } from '../sandbox/run.ts'
import { readLastReports } from '../session-files/reports.ts'
import { noticeAfterRun } from '../watch/checkout.ts'
import { wishesOf } from '../wishes.ts'
import type { World } from '../world.ts'
import { commitWork } from './commits.ts'
import { exitCodeOf, identifyRun, livenessOfRun, markers } from './identity.ts'
import { problemOf } from './reports.ts'

// The end of a run: one that has ended is settled, one that must end is killed. A pause stops and continues it.

/** A process without an exit record is dead if two checks this far apart find it so (ms). */
export const SECOND_LOOK = 2000

type Finding = 'alive' | 'ended' | 'vanished' | 'unknown'

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
  await importRest(world, run)
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
const leftBehind = async (world: World, run: AgentRun): Promise<LeftProcess[]> => {
  const { runs, worktrees } = await wishesOf(world)
  return leftOf(world.core.root, run, worktrees.find(({ name }) => name === run.worktree)?.path ?? null, runs)
    .slice(0, 100)
    .map(({ pid, name }) => ({ pid, name: name.slice(0, 100) }))
}

/** The actions that a CLI denied its agent, in the form in which they are recorded. */
const deniedIn = (report: Report | undefined): { tool: string; about: string }[] =>
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

/**
 * Kills the processes of an agent that must stop: TERM to the group, a grace period, KILL to the group, then every
 * process that has left the group but carries the agent's marker. Then records that none remains. False if that is not
 * certain.
 */
export const stop = async (world: World, run: AgentRun): Promise<boolean> => {
  const { core, actor } = world
  const identity = run.identity ?? neverStarted(core.root, run)
  if (identity !== 'none') {
    if (identity !== undefined && !countsHere(identity.bootId)) {
      if (!run.gone && livenessOfRun(core.root, { ...run, identity }) !== 'dead')
        throw new Refusal('invalid_state', elsewhere(run.agentId))
    } else if (identity === undefined || !(await endGroup(identity, core.settings.lease.terminateGrace))) return false
    await endRest(world, run)
  }
  // Runs while the agent still counts as running.
  if (identity !== 'none') {
    await noticeChanges(world)
    await noticeAfterRun(world, run)
  }
  await world.talks.finish(world, run)
  const said = run.identity === null ? undefined : await world.reports.finish(world, run)
  await readLastReports(world, run.agentId)
  const exitCode = exitCodeOf(core, run)
  const memory = run.identity === null ? undefined : await memoryOf(world, run, said)
  await perform(
    core,
    recordStop,
    {
      agentId: run.agentId,
      run: run.run,
      exitCode,
      memory,
      denied: deniedIn(said?.report),
      left: await leftBehind(world, run),
      ...(said ? { report: said.record, use: said.use } : {}),
    },
    actor,
  )
  return true
}

const endRest = async (world: World, run: AgentRun): Promise<void> => {
  await endMarked(markers(world.core.root, run))
  await importRest(world, run)
  await endLimits(world, run)
}

/** Kills the processes of a run that has started and cannot be recorded. False if it is not certain that none remains. */
export const endUnrecorded = async (world: World, run: AgentRun): Promise<boolean> => {
  const { root, settings } = world.core
  const identity = neverStarted(root, run)
  if (identity === undefined) return false
  if (identity !== 'none' && !(await endGroup(identity, settings.lease.terminateGrace))) return false
  await endRest(world, run)
  return true
}

const elsewhere = (id: string): string =>
  `${id} runs on another host or in another pid namespace and cannot be stopped from here. Stop it there, or run 'aiswarm agent terminate ${id} --gone' if that host or container no longer exists.`

/** Kills the processes of a run whose task has ended; its end is recorded as for any other run. */
export const endLingering = async ({ core }: World, run: AgentRun): Promise<boolean> => {
  if (!run.identity || !(await endGroup(run.identity, core.settings.lease.terminateGrace))) return false
  await endMarked(markers(core.root, run))
  return true
}

/**
 * For a run that was requested but not recorded, the pid file decides. If there is none, this function creates it, so
 * that no shim can claim the run any more.
 */
const neverStarted = (root: string, run: AgentRun): ProcessIdentity | 'none' | undefined => {
  const pidFile = runPath(root, run.agentId, run.run, 'pid')
  mkdirSync(runFolder(root), { recursive: true, mode: 0o700 })
  try {
    writeFileSync(pidFile, 'void\n', { flag: 'wx' })
    return 'none'
  } catch {
    const pid = readPid(pidFile)
    if (pid !== undefined) return identifyRun(root, run, pid) ?? 'none'
    // Neither ours nor filled yet: a shim is just claiming the run.
    return isVoid(pidFile) ? 'none' : undefined
  }
}

/**
 * Stops the process group of a run until a person has answered. The row is written first: a process that starts after a
 * crash finds which run may be stopped, and continues it when it is no longer blocked.
 */
export const pause = async ({ core, actor }: World, run: AgentRun): Promise<boolean> => {
  if (!run.identity) return false
  const { recorded } = await perform(core, recordPause, { agentId: run.agentId, run: run.run, paused: true }, actor)
  return recorded && signalIfAlive(run.identity, 'SIGSTOP')
}

/** Continues the run; can be repeated after a crash before it was recorded. */
export const resume = async ({ core, actor }: World, run: AgentRun): Promise<void> => {
  if (run.identity) signalIfAlive(run.identity, 'SIGCONT')
  await perform(core, recordPause, { agentId: run.agentId, run: run.run, paused: false }, actor)
}

/** Stops every blocked run that was stopped before, whatever has happened since. A second signal changes nothing. */
export const keepPaused = (runs: readonly AgentRun[]): void => {
  for (const run of runs) if (run.held && run.pausedAt !== null && run.identity) signalIfAlive(run.identity, 'SIGSTOP')
}

/** The memory of an ended run (seed 003): its prompt, its last answer, its actions. */
const memoryOf = async (
  world: World,
  run: AgentRun,
  said: { readonly report: Report; readonly trail: Trail } | undefined,
): Promise<RunMemory> => {
  const masked = (text: string): string => maskSecrets(text, [world.core.launchToken(run.agentId, run.run)])
  const answer = said ? (said.report.said ?? said.report.ended?.sentence ?? '') : await lastOutput(world, run)
  return {
    userId: memoryUser(process.env),
    prompt: promptFor(world, run),
    answer: masked(answer),
    toolsUsed: said?.trail.tools ?? [],
    toolsLeft: said?.trail.left ?? 0,
    errors: (said?.trail.mishaps ?? []).map(({ kind, tool, about }) => ({
      error_type: kind,
      error_message: masked(about),
      tool,
    })),
  }
}

/** The prompt of a run that could not be started; empty if none was written. */
export const promptFor = ({ core }: World, run: AgentRun): string =>
  maskSecrets(promptOf(core.root, run), [core.launchToken(run.agentId, run.run)])

/** The prompt that the launcher wrote; empty if the run only has a command. */
const promptOf = (root: string, run: AgentRun): string => {
  for (const what of ['stdin', 'prompt'] as const) {
    try {
      return readFileSync(runPath(root, run.agentId, run.run, what), 'utf8')
    } catch {
      // The prompt was passed in another way.
    }
  }
  return ''
}

/** The most bytes of a plain-text output that are kept as an answer. */
const LONGEST_ANSWER = 40_000

/** The end of the run's output. */
const lastOutput = async ({ core, actor }: World, run: AgentRun): Promise<string> => {
  const path = outputPath(core.root, run.agentId)
  const { outputOffset } = await perform(core, readRun, { agentId: run.agentId, run: run.run }, actor)
  const { text, next, size } = await readOutput(path, { offset: outputOffset })
  return (next < size ? (await readOutput(path, { tail: LONGEST_ANSWER })).text : text).trim()
}
