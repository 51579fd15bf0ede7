import type { z } from 'zod'
import { readOffer } from '../operations/heartbeat-and-get-tasks.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { ToolCall } from './tool.ts'

/**
 * Looks again after every commit of any process until `look` gives something, the time is over or the client goes away;
 * then gives the last look. The version is taken before each look, so no commit falls between.
 */
export const untilFound = async <T>({ connection, signal }: Pick<ToolCall, 'connection' | 'signal'>, ms: number, look: () => Promise<{ found: boolean; value: T }>): Promise<T> => {
  const until = performance.now() + ms
  for (;;) {
    const version = connection.core.store.version()
    const { found, value } = await look()
    const left = until - performance.now()
    if (found || left <= 0 || signal.aborted) return value
    await connection.outside.nextChange(version, Math.min(left, OFTEN), signal)
  }
}

/** Some things come due by the clock alone: a retry, a request whose time is over (ms). */
const OFTEN = 5000

/** Waits for work as long as the agent asked for; what was there before it asked is given at once. */
export const waitForTasks = async (first: Offer, call: ToolCall): Promise<Offer> => {
  const waitSeconds = Number(call.input['waitSeconds'] ?? 0)
  if (first.tasks.length > 0 || waitSeconds === 0) return first
  const { core, actor } = call.connection
  return untilFound(call, waitSeconds * 1000, async () => {
    const value = await perform(core, readOffer, {}, actor)
    return { found: value.tasks.length > 0, value }
  })
}

type Offer = z.output<typeof readOffer.output>
