import { setTimeout as sleep } from 'node:timers/promises'
import { isAway } from '../../domain/rules/refusal.ts'

/** How long a board that does not answer is left alone before it is asked again (ms). */
const AGAIN = 1000

/** How long it is asked again after a person has ended the wait (ms). */
const FAREWELL = 10_000

/**
 * Asks until the board has decided, since what runs goes on while it is away. A write needs a request id: the answer to
 * its commit may have been lost.
 */
export const untilAnswered = async <T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
  for (let over: number | undefined; ;) {
    try {
      return await ask()
    } catch (error) {
      if (signal?.aborted) over ??= performance.now() + FAREWELL
      if (!isAway(error) || (over !== undefined && performance.now() >= over)) throw error
    }
    await sleep(AGAIN)
  }
}
