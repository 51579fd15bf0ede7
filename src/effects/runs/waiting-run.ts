import type { Report } from '../../agents/reading/report.ts'
import type { Reading } from '../../agents/reading/reading.ts'
import { clockTime, elapsed, type Instant } from '../../domain/words/time.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { endGroup } from '../processes/signals.ts'
import type { World } from '../world.ts'

// A CLI whose quota is used up may wait until the quota resets instead of exiting; it keeps its task and its place
// meanwhile.

/** A run waits for a limit that ends sooner (ms). */
const SHORT = 60_000

/**
 * How long a limit must last without an answer of the model: a CLI may exit by itself, or continue with another model
 * (ms).
 */
const SETTLED = 5000

/** The state of a run's wait. */
export class Waiting {
  /** The limit for which the run was stopped. Later output of the CLI does not clear it. */
  stoppedFor: Report['limited'] = null
  #since: number | null = null
  #last: 'nothing' | 'tool' | 'model' = 'nothing'

  /** Records the content of a line; a line that calls no tool comes from the model, or ends a tool. */
  line(readings: readonly Reading[]): void {
    this.#last = readings.some(({ kind }) => kind === 'tool') ? 'tool' : 'model'
  }

  /**
   * The limit for which the run waits, once it has lasted for a while and does not end soon. `now` is of the monotonic
   * clock (ms).
   */
  longLimit({ limited }: Report, at: Instant, now: number): Report['limited'] {
    const long = limited !== null && limited.resetsAt !== null && elapsed(at, limited.resetsAt) > SHORT
    this.#since = long ? (this.#since ?? now) : null
    return this.#since !== null && now - this.#since >= SETTLED ? limited : null
  }

  /**
   * A message about a run without output for longer than `patience` ms. Some CLIs wait for a quota silently, which
   * looks from outside like a thinking model or a long tool.
   */
  silence(writtenAt: Instant, now: Instant, patience: number): string | null {
    if (elapsed(writtenAt, now) <= patience) return null
    const since = `it has printed nothing since ${clockTime(writtenAt)}`
    if (this.#last === 'tool')
      return `${since}, when it called a tool: the tool is still running, or its service does not respond`
    return `${since} and runs no tool: its service does not respond, as when a quota is used up`
  }
}

/**
 * Stops a run that waits for a long limit. Its end is judged by that limit: the task uses up no retry, no agent of the
 * kind starts before the reset, and the next attempt resumes the conversation. After a crash the process that reads the
 * output next repeats it.
 */
export const stopAtLimit = async ({ core }: World, run: AgentRun, waiting: Waiting, report: Report): Promise<void> => {
  if (run.identity === null || run.stopRequestedAt !== null || run.pausedAt !== null) return
  const limit = waiting.longLimit(report, core.clock(), performance.now())
  if (limit === null) return
  waiting.stoppedFor = limit
  await endGroup(run.identity, core.settings.lease.terminateGrace)
}
