import { isReadOnly, problemOf, type Refusal, type RefusalCode } from '../../domain/rules/refusal.ts'
import { duration } from '../../domain/words/time.ts'
import type { World } from '../world.ts'

/** Refusals of a store that is read and takes no writes. */
const UNWRITABLE: ReadonlySet<RefusalCode> = new Set([
  'store_read_only',
  'disk_failed',
  'not_writable',
  'not_allowed',
  'database_busy',
])

/** Remembers a problem of the loops with the board until its end, which is reported too: a sentence that stays on the screen reads as present. */
export class BoardTrouble {
  readonly #report: World['report']
  /** The problem of an outage that has not ended. */
  #outage: string | undefined
  #isUnwritable = false
  #closed: string | undefined

  constructor(report: World['report']) {
    this.#report = report
  }

  /** Why the board can only be read since the last write; undefined if it takes writes, or may take them soon. */
  get closed(): string | undefined {
    return this.#closed
  }

  /** A turn has failed for this reason; true if it is said already. */
  met(refusal: Refusal | undefined): boolean {
    this.#isUnwritable ||= refusal !== undefined && UNWRITABLE.has(refusal.code)
    if (refusal !== undefined && isReadOnly(refusal)) this.#closed = refusal.message
    return this.isOutage(refusal)
  }

  /**
   * True if the board does not answer, which is said here: once for all the work that meets it until it answers, whatever
   * reasons the system gives meanwhile.
   */
  readonly isOutage = (refusal: Refusal | undefined): boolean => {
    if (refusal?.code !== 'store_unreachable') return false
    const problem = problemOf(refusal)
    if (problem !== this.#outage) this.#report(refusal.message)
    this.#outage = problem
    return true
  }

  /** The board has answered. */
  answered(): void {
    if (this.#outage !== undefined) this.#report('The board answers again.', true)
    this.#outage = undefined
  }

  /** The clock of the board's server has jumped by so much (ms). */
  jumped(by: number): void {
    if (by < 0)
      this.#report(
        `The clock of the board's server went back by ${duration(-by)}. Until it has caught up, the time of the board does not advance here. Check the server's clock.`,
      )
    if (by > 0)
      this.#report(
        `The clock of the board's server jumped ahead by ${duration(by)}. Every lease and request gets its whole time again. Check the server's clock.`,
      )
  }

  /** The board was written. */
  written(): void {
    this.answered()
    if (this.#isUnwritable) this.#report('The board takes writes again.', true)
    this.#isUnwritable = false
    this.#closed = undefined
  }
}
