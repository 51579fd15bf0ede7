import type { ProcessObservation } from '../../contracts/observations.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { countsHere } from '../processes/identity.ts'
import { familyOf, readProcessTable } from '../processes/table.ts'

/** Observes processes: CPU use since the previous call and memory now, each with all descendants. */
export const processObserver = () => {
  let before = new Map<string, number>()
  let at = 0
  return (runs: readonly AgentRun[]): readonly ProcessObservation[] => {
    if (runs.length === 0) return []
    const table = readProcessTable()
    const now = performance.now()
    const seconds = new Map<string, number>()
    const observations = runs.flatMap((run): ProcessObservation[] => {
      if (run.process !== 'started' || run.identity === null || !countsHere(run.identity.bootId)) return []
      const family = familyOf(run.identity.pid, table)
      const used = family.reduce((sum, entry) => sum + entry.seconds, 0)
      seconds.set(run.agentId, used)
      const since = before.get(run.agentId)
      const cpu = since === undefined || now <= at ? 0 : (Math.max(0, used - since) / ((now - at) / 1000)) * 100
      return [
        {
          agentId: run.agentId,
          cpu,
          memory: family.reduce((sum, entry) => sum + entry.memory, 0),
          processes: family.length,
        },
      ]
    })
    before = seconds
    at = now
    return observations
  }
}
