import type { AgentKind } from '../agents/kind.ts'
import { addReading, emptyReport, type Report } from '../agents/report.ts'
import type { LeftProcess } from '../domain/agent.ts'
import { isRefusal } from '../domain/refusal.ts'
import { maskSecrets } from '../domain/secrets.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { AgentRun } from '../operations/read-wishes.ts'
import { readRun } from '../operations/read-run.ts'
import { settleRun } from '../operations/settle-run.ts'
import { commitWork } from './commit-work.ts'
import { noticeChanges } from './integration/guard.ts'
import { exitCodeOf } from './exit-record.ts'
import { markers, ownSecrets } from './environment.ts'
import { leftOf } from './left-processes.ts'
import { look } from './look.ts'
import { outputPath } from './places.ts'
import { lastLine, readOutput, writtenAt } from './output.ts'
import { endMarked } from './process.ts'
import { livenessOf } from './process-identity.ts'
import { readLastReports } from './session-reports.ts'
import { memoryOf } from './run-memory.ts'
import { problemOf } from './run-reports.ts'
import type { World } from './world.ts'

/** A process that left no exit record is dead when two looks this far apart say so (ms). */
export const SECOND_LOOK = 2000

export type Finding = 'alive' | 'ended' | 'vanished' | 'unknown'

/** What became of the process of a run. `firstSeenDead` remembers runs that looked dead once. */
export const inspect = (core: World['core'], run: AgentRun, firstSeenDead: Map<string, number>, now: number): Finding => {
  const key = `${run.agentId}.${run.run}`
  const liveness = livenessOf(run.identity!)
  // A record counts when the shim that wrote it is gone: it writes it last.
  if (liveness !== 'alive' && exitCodeOf(core, run) !== null) return 'ended'
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
  const left = await leftBehind(world, run)
  const exitCode = finding === 'ended' ? exitCodeOf(core, run) : null
  const said = await world.reports.finish(world, run)
  if (world.kinds.get(run.kind)?.exitDecides !== true) await readLastReports(world, run.agentId)
  const verdict = await judge(world, run, exitCode, said?.report)
  const memory = await memoryOf(world, run, said)
  // What it made git or aiswarm obey is told when it ends, not when the next integration stops for it, and while it still counts
  // as running: who looks later would take it for a person's. First, so that whoever repeats this after a crash looks again.
  await noticeChanges(world)
  await perform(
    core,
    settleRun,
    { agentId: run.agentId, run: run.run, exitCode, verdict, memory, denied: deniedIn(said?.report), left, ...(said ? { report: said.record, use: said.use } : {}) },
    actor,
  )
}

/** What still runs of a run whose processes were ended, by the time of the call. */
export const leftBehind = async (world: World, run: AgentRun): Promise<LeftProcess[]> => {
  const { runs, worktrees } = await look(world)
  return leftOf(world.core.root, run, worktrees.find(({ name }) => name === run.worktree)?.path ?? null, runs)
    .slice(0, 100)
    .map(({ pid, name }) => ({ pid, name: name.slice(0, 100) }))
}

/** What a CLI did not let its agent do, as it is recorded. */
export const deniedIn = (report: Report | undefined): { tool: string; about: string }[] =>
  (report?.denied ?? []).slice(0, 50).map(({ name, about }) => ({ tool: name.slice(0, 200), about: maskSecrets(about).slice(0, 4000) }))

/** Why it ended, where it says so; else the last that it said, or that was printed beside. */
const lastWords = ({ ended, said, noted }: Report): string => (ended?.ok === false ? ended.sentence : '') || (said ?? noted ?? '')

type Verdict =
  | { kind: 'completed'; resultData: { exitCode: number; commits: string[] } }
  | { kind: 'failed'; error: string }
  | { kind: 'lost'; why: string }
  | { kind: 'unavailable'; why: string; resetsAt: string | null }

/** As much of the end of an output is looked at (bytes). */
const ENDING = 16_384

/** What the end of an output of plain text says, as a report of nothing else. */
const endingReport = async ({ core, actor }: World, run: AgentRun, kind: AgentKind | undefined): Promise<Report | undefined> => {
  if (!kind?.ending) return undefined
  const path = outputPath(core.root, run.agentId)
  const { outputOffset } = await perform(core, readRun, { agentId: run.agentId, run: run.run }, actor)
  const { text, next } = await readOutput(path, { tail: ENDING })
  // The file may hold earlier runs of the same agent.
  const own = Buffer.from(text)
    .subarray(Math.max(0, outputOffset - (next - Buffer.byteLength(text))))
    .toString('utf8')
  return kind.ending(own, await writtenAt(path)).reduce(addReading, emptyReport)
}

/** What the end of a run means for a task that it still holds. What its CLI said counts more than the exit code, which proves little. */
const judge = async (world: World, run: AgentRun, exitCode: number | null, report: Report | undefined): Promise<Verdict> => {
  const kind = world.kinds.get(run.kind)
  const told = report ?? (await endingReport(world, run, kind))
  const problem = told === undefined ? null : problemOf(told)
  if (problem !== null)
    return { kind: 'unavailable', why: maskSecrets(`${run.agentId} (${run.kind}) could not work: ${problem}`).slice(0, 4000), resetsAt: told?.limited?.resetsAt ?? null }
  if (exitCode === null) return { kind: 'lost', why: `The process of ${run.agentId} vanished without an exit record.` }
  const last = maskSecrets(report === undefined ? await lastLine(outputPath(world.core.root, run.agentId)) : lastWords(report), ownSecrets()).slice(0, 2000)
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
