import { mkdirSync, writeFileSync } from 'node:fs'
import type { ProcessIdentity } from '../domain/agent.ts'
import { Refusal } from '../domain/refusal.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { AgentRun } from '../operations/read-wishes.ts'
import { recordStop } from '../operations/record-stop.ts'
import { markers } from './environment.ts'
import { noticeChanges } from './integration/guard.ts'
import { identifyRun, isVoid, readPid } from './launcher.ts'
import { runFolder, runPath } from './places.ts'
import { endGroup, endMarked } from './process.ts'
import { exitCodeOf } from './exit-record.ts'
import { deniedIn, leftBehind } from './reaper.ts'
import { memoryOf } from './run-memory.ts'
import { countsHere } from './process-identity.ts'
import { readLastReports } from './session-reports.ts'
import type { World } from './world.ts'

/**
 * Ends the processes of an agent that is to stop: TERM to the group, a grace, KILL to the group, then whatever left the
 * group but carries the agent's marker. Then records that nothing is left. False when that could not be made sure.
 */
export const stop = async (world: World, run: AgentRun): Promise<boolean> => {
  const { core, actor } = world
  const identity = run.identity ?? neverStarted(core.root, run)
  if (identity !== 'none') {
    if (identity !== undefined && !countsHere(identity.bootId)) {
      if (!run.gone) throw new Refusal('invalid_state', elsewhere(run.agentId))
    } else if (identity === undefined || !(await endGroup(identity, core.settings.lease.terminateGrace))) return false
    await endMarked(markers(core.root, run))
  }
  // While it still counts as running.
  if (identity !== 'none') await noticeChanges(world)
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

const elsewhere = (id: string): string =>
  `${id} runs on another host or in another pid namespace and cannot be stopped from here. Stop it there, or run 'aiswarm agent terminate ${id} --gone' if that host or container no longer exists.`

/** Ends the processes of a run whose task is over; how it ended is recorded as for any other run. */
export const endLingering = async ({ core }: World, run: AgentRun): Promise<boolean> => {
  if (!run.identity || !(await endGroup(run.identity, core.settings.lease.terminateGrace))) return false
  await endMarked(markers(core.root, run))
  return true
}

/**
 * A run that was wanted but not recorded: its pid file decides. Where there is none, we create it, and no shim
 * can have the run any more.
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
    // Neither ours nor filled yet: a shim is just taking the run.
    return isVoid(pidFile) ? 'none' : undefined
  }
}
