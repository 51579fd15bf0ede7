import { existsSync, readFileSync } from 'node:fs'
import { isRefusal } from '../domain/refusal.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { AgentRun } from '../operations/read-wishes.ts'
import { settleRun } from '../operations/settle-run.ts'
import { commitWork } from './commit-work.ts'
import { markers } from './environment.ts'
import { outputPath, runPath } from './places.ts'
import { lastLine } from './output.ts'
import { endMarked } from './process.ts'
import { livenessOf } from './process-identity.ts'
import type { World } from './world.ts'

/** A process that left no exit record is dead when two looks this far apart say so (ms). */
export const SECOND_LOOK = 2000

export type Finding = 'alive' | 'ended' | 'vanished' | 'unknown'

/** What became of the process of a run. `firstSeenDead` remembers runs that looked dead once. */
export const inspect = (root: string, run: AgentRun, firstSeenDead: Map<string, number>, now: number): Finding => {
  // The shim's line is complete only with its line break.
  if (exitCodeOf(root, run) !== null) return 'ended'
  const key = `${run.agentId}.${run.run}`
  const liveness = livenessOf(run.identity!)
  if (liveness !== 'dead') {
    firstSeenDead.delete(key)
    return liveness
  }
  const first = firstSeenDead.get(key)
  if (first === undefined) firstSeenDead.set(key, now)
  return first !== undefined && now - first >= SECOND_LOOK ? 'vanished' : 'unknown'
}

/** Ends a run whose process is over: commits what a command changed, and records what its end means for the task. */
export const settle = async (world: World, run: AgentRun, finding: 'ended' | 'vanished'): Promise<void> => {
  const { core, actor } = world
  await endMarked(markers(core.root, run))
  const exitCode = finding === 'ended' ? exitCodeOf(core.root, run) : null
  const verdict = await judge(world, run, exitCode)
  await perform(core, settleRun, { agentId: run.agentId, run: run.run, exitCode, verdict }, actor)
}

export const exitCodeOf = (root: string, run: Pick<AgentRun, 'agentId' | 'run'>): number | null => {
  const path = runPath(root, run.agentId, run.run, 'exit')
  if (!existsSync(path)) return null
  const [, code] = /^(\d+)\n$/.exec(readFileSync(path, 'utf8')) ?? []
  return code === undefined ? null : Number(code)
}

type Verdict = { kind: 'completed'; resultData: { exitCode: number; commits: string[] } } | { kind: 'failed'; error: string } | { kind: 'lost'; why: string }

const judge = async (world: World, run: AgentRun, exitCode: number | null): Promise<Verdict> => {
  if (exitCode === null) return { kind: 'lost', why: `The process of ${run.agentId} vanished without an exit record.` }
  const kind = world.kinds.get(run.kind)
  const last = await lastLine(outputPath(world.core.root, run.agentId))
  const said = last === '' ? '' : `: ${last}`
  if (exitCode !== 0) return { kind: 'failed', error: `${run.agentId} ended with exit code ${exitCode}${said}` }
  if (!kind?.exitDecides) return { kind: 'failed', error: `no-artifact: ${run.agentId} ended with exit code 0 without completing its task${said}` }
  try {
    return { kind: 'completed', resultData: { exitCode, commits: await commitWork(world, run) } }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { kind: 'failed', error: `The command succeeded, but its work could not be committed: ${error.message}` }
  }
}
