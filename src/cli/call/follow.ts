import { isAway, problemOf } from '../../domain/rules/refusal.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import type { Connection } from '../../operations/perform/core.ts'
import type { Call } from './command.ts'

/** The longest sleep between two reads (ms), because the output of processes grows without a commit. */
export const GLANCE = 1000

/**
 * Asks the board, which is asked again and again: undefined while it is away. One sentence says so, and another one that
 * it answers again.
 */
export const patiently = ({ streams }: Call): (<T>(ask: () => Promise<T>) => Promise<T | undefined>) => {
  let problem: string | undefined
  return async (ask) => {
    try {
      const answer = await ask()
      if (problem !== undefined) streams.err('The board answers again.\n')
      problem = undefined
      return answer
    } catch (error) {
      if (!isAway(error)) throw error
      if (problem !== problemOf(error)) streams.err(`${safeText(error.message)} The command waits for it.\n`)
      problem = problemOf(error)
      return undefined
    }
  }
}

/** Asks the board until it answers, or until Ctrl-C. A write needs a request id: the answer to its commit may have been lost. */
export const untilAnswered = async <T>(call: Call, connection: Connection, ask: () => Promise<T>): Promise<T> => {
  const asked = patiently(call)
  for (;;) {
    const answer = await asked(async () => ({ of: await ask() }))
    if (answer) return answer.of
    if (call.streams.signal?.aborted) return ask()
    await call.services.nextChange(connection, GLANCE)
  }
}

/**
 * Runs `look` now and after every change, until Ctrl-C; then once more, so that nothing from before is omitted. A board
 * that is away after the first look is waited for.
 */
export const onEveryChange = async (call: Call, connection: Connection, look: () => Promise<void>): Promise<void> => {
  await look()
  const asked = patiently(call)
  while (call.streams.signal?.aborted !== true) {
    await call.services.nextChange(connection, GLANCE)
    await asked(look)
  }
}
