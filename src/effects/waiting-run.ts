import type { Report } from '../agents/report.ts'
import type { Reading } from '../agents/reading.ts'
import { clockTime, elapsed, type Instant } from '../domain/time.ts'
import type { AgentRun } from '../operations/read-wishes.ts'
import { endGroup } from './process.ts'
import type { World } from './world.ts'

// A CLI whose quota is used up may wait until it resets instead of ending: it holds its task and its place meanwhile.

/** A limit that ends sooner is waited out (ms). */
const SHORT = 60_000

/** So long a limit must have stood without an answer of the model: a CLI may end by itself, or go on with another model (ms). */
const SETTLED = 5000

/** What is known of how a run waits. */
export class Waiting {
  /** The limit that the run was stopped for. What the CLI prints while it ends does not take it away. */
  stoppedFor: Report['limited'] = null
  #since: number | null = null
  #last: 'nothing' | 'tool' | 'model' = 'nothing'

  /** Takes note of what a line said; a line that calls no tool comes from the model, or ends a tool. */
  line(readings: readonly Reading[]): void {
    this.#last = readings.some(({ kind }) => kind === 'tool') ? 'tool' : 'model'
  }

  /** The limit that the run waits out, once it has stood for a while and does not end soon. `now` is of the monotonic clock (ms). */
  longLimit({ limited }: Report, at: Instant, now: number): Report['limited'] {
    const long = limited !== null && limited.resetsAt !== null && elapsed(at, limited.resetsAt) > SHORT
    this.#since = long ? (this.#since ?? now) : null
    return this.#since !== null && now - this.#since >= SETTLED ? limited : null
  }

  /**
   * What can be said of a run that prints nothing for longer than `patience` ms. Some CLIs wait out a quota in silence, and
   * from outside that looks like a model that thinks or a tool that runs long.
   */
  silence(writtenAt: Instant, now: Instant, patience: number): string | null {
    if (elapsed(writtenAt, now) <= patience) return null
    const since = `it has printed nothing since ${clockTime(writtenAt)}`
    if (this.#last === 'tool') return `${since}, when it called a tool: the tool still runs, or its service keeps it waiting`
    return `${since} and runs no tool: its service keeps it waiting, as it does where a quota is used up`
  }
}

/**
 * Stops a run that waits out a long limit. Its end is judged by that limit: the task burns no retry, nothing of the kind
 * starts before the reset, and the next attempt goes on with the conversation. Repeated after a crash by whoever reads on.
 */
export const stopAtLimit = async ({ core }: World, run: AgentRun, waiting: Waiting, report: Report): Promise<void> => {
  if (run.identity === null || run.stopRequestedAt !== null || run.pausedAt !== null) return
  const limit = waiting.longLimit(report, core.clock(), performance.now())
  if (limit === null) return
  waiting.stoppedFor = limit
  await endGroup(run.identity, core.settings.lease.terminateGrace)
}
