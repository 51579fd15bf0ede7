import type { Refusal, RefusalCode } from '../../domain/rules/refusal.ts'
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

const LASTING: ReadonlySet<RefusalCode> = new Set([
  'board_restored',
  'host_unknown',
  'database_moved',
  'database_newer',
])

/** True if only a person ends the problem, so that it is said once. */
export const isLasting = ({ code }: Refusal): boolean => LASTING.has(code)

/** Remembers a problem of the loops with the board until its end, which is reported too: a sentence that stays on the screen reads as present. */
export class BoardTrouble {
  readonly #report: World['report']
  #isAway = false
  #isUnwritable = false

  constructor(report: World['report']) {
    this.#report = report
  }

  /** A turn has failed; returns the reason as it is. */
  met(refusal: Refusal | undefined): Refusal | undefined {
    this.#isAway ||= refusal?.code === 'store_unreachable'
    this.#isUnwritable ||= refusal !== undefined && UNWRITABLE.has(refusal.code)
    return refusal
  }

  /** The board was read. */
  looked(): void {
    if (this.#isAway) this.#report('The board answers again.', true)
    this.#isAway = false
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
    if (this.#isUnwritable) this.#report('The board takes writes again.', true)
    this.#isUnwritable = false
  }
}
