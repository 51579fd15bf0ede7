import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { launch } from '../runs/launcher.ts'
import { endLingering, inspect, pause, resume, settle, stop } from '../runs/termination.ts'
import type { World } from '../world.ts'
import { exclusive, type Job } from '../job.ts'

export const jobOfRun = (
  world: World,
  run: AgentRun,
  firstSeenDead: Map<string, number>,
  now: number,
): Job | undefined => {
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
export const stopJob = (world: World, run: AgentRun): Job => ({
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
