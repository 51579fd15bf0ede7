import { mkdirSync, writeFileSync } from 'node:fs'
import type { ProcessIdentity } from '../../domain/agent/agent.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { recordStop } from '../../operations/runs/ends.ts'
import { markers } from './environment.ts'
import { noticeChanges } from '../guard/guard.ts'
import { identifyRun, livenessOfRun } from './begun.ts'
import { endLimits } from '../sandbox/limits.ts'
import { takeOverRest } from '../sandbox/run.ts'
import { isVoid, readPid } from '../processes/shim.ts'
import { runFolder, runPath } from '../files/paths.ts'
import { endGroup, endMarked } from '../processes/signals.ts'
import { exitCodeOf } from './exit-record.ts'
import { deniedIn, leftBehind } from './reaper.ts'
import { memoryOf } from './memory.ts'
import { countsHere } from '../processes/identity.ts'
import { readLastReports } from '../session-files/reports.ts'
import { noticeAfterRun } from '../watch/checkout.ts'
import type { World } from '../world.ts'

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
  await takeOverRest(world, run)
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
