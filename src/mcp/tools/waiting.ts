import type { z } from 'zod'
import { readOffer } from '../../operations/agents/heartbeat-and-get-tasks.ts'
import { hasMessages } from '../../operations/messages/take-messages.ts'
import { isUndecided } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/door/perform.ts'
import type { ToolCall } from './tool.ts'

/**
 * Calls `look` again after every commit of any process until it finds something, the time has passed or the client
 * disconnects; then returns the last result, at first `value`. The version is read before each call, so no commit is
 * missed. A board that is away for a moment has decided nothing, and the wait goes on.
 */
export const untilFound = async <T>(
  { connection, signal }: Pick<ToolCall, 'connection' | 'signal'>,
  ms: number,
  value: T,
  look: () => Promise<{ found: boolean; value: T }>,
): Promise<T> => {
  const until = performance.now() + ms
  for (;;) {
    const version = connection.core.store.version()
    let found = false
    try {
      ;({ found, value } = await look())
    } catch (error) {
      if (!isUndecided(error)) throw error
    }
    const left = until - performance.now()
    if (found || left <= 0 || signal.aborted) return value
    await connection.outside.nextChange(version, Math.min(left, OFTEN), signal)
  }
}

/** The interval for events without a commit: a retry becomes due, a request expires (ms). */
const OFTEN = 5000

/** Waits for work as long as the agent has asked; existing work is returned at once. */
export const waitForTasks = async (first: Offer, call: ToolCall): Promise<Offer> => {
  const waitSeconds = Number(call.input['waitSeconds'] ?? 0)
  if (first.tasks.length > 0 || waitSeconds === 0) return first
  const { core, actor } = call.connection
  return untilFound(call, waitSeconds * 1000, first, async () => {
    const value = await perform(core, readOffer, {}, actor)
    return { found: value.tasks.length > 0 || (await isSpokenTo(call)), value }
  })
}

/** A message for the agent ends its wait: it gets it with this answer. */
const isSpokenTo = async ({ connection: { core, actor } }: ToolCall): Promise<boolean> =>
  actor.kind === 'agent' && perform(core, hasMessages, {}, actor)

type Offer = z.output<typeof readOffer.output>
