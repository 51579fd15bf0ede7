import type { Actor } from '../../domain/agent/actor.ts'
import { isRefusal, isUndecided } from '../../domain/rules/refusal.ts'
import { heartbeat } from '../../operations/agents/heartbeat.ts'
import type { Core } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'

/** The rows for which this process sends heartbeats. */
const heldByPersons = new Set<string>()

/** Keeps the lease of a person who holds a task while this process runs: without it the task becomes pending. */
export const keepLease = (core: Core, holderId: string, actor: Actor): void => {
  if (heldByPersons.has(holderId)) return
  heldByPersons.add(holderId)
  const timer = setInterval(() => {
    perform(core, heartbeat, { agentId: holderId }, actor).catch((error: unknown) => {
      if (!isLost(error)) return
      clearInterval(timer)
      heldByPersons.delete(holderId)
    })
  }, core.settings.lease.ttl / 3)
  timer.unref()
}

/** True if the person has handed the task back, here or at another console; a store that refuses says nothing of it. */
const isLost = (error: unknown): boolean =>
  isRefusal(error) && !isUndecided(error) && (error.code === 'not_found' || error.code === 'invalid_state')
