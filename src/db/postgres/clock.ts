import { instant, type Instant, milliseconds } from '../../domain/words/time.ts'
import type { ClockRead, Server } from './server.ts'

/** A smaller difference of the server's clock to the expected one is not a jump (ms). */
const STEADY = 2000

/** How long after a jump ahead nothing counts as late (ms): every living process has renewed what it holds by then. */
const AHEAD = 15_000

/**
 * The clock of the server as this process knows it: the monotonic clock of the machine, set anew by every connection,
 * every write and every look for changes. It never goes back.
 */
export class StoreClock {
  readonly #server: Server
  #read: ClockRead = { server: Date.now() - performance.now(), here: 0 }
  /** The clock of this machine at that read. */
  #wall = Date.now()
  #last = 0
  #jump = 0
  #aheadUntil = 0

  constructor(server: Server) {
    this.#server = server
  }

  /** The instant of a write that was asked for at `asked`, as the server reports it. */
  setBy(at: Instant, asked: number): Instant {
    const ms = milliseconds(at)
    this.#set({ server: ms, here: performance.now() }, asked)
    return instant((this.#last = Math.max(this.#last, ms)))
  }

  /** The clock of the server as another statement has read it. */
  readAs(read: ClockRead, asked = read.here): void {
    if (read.here > this.#read.here) this.#set(read, asked)
  }

  now(): Instant {
    const read = this.#server.clock?.()
    if (read !== undefined) this.readAs(read)
    return instant(
      (this.#last = Math.max(this.#last, Math.round(this.#read.server + performance.now() - this.#read.here))),
    )
  }

  /** The last jump of the server's clock that was not taken yet (ms, below 0 if it went back); 0 without one. */
  jumped(): number {
    const jump = this.#jump
    this.#jump = 0
    return jump
  }

  /** True for a while after a jump ahead. */
  isAhead(): boolean {
    return performance.now() < this.#aheadUntil
  }

  /** The server read its clock at some time since `asked`. */
  #set(read: ClockRead, asked: number): void {
    const [before, wall] = [this.#read, this.#wall]
    this.#read = read
    this.#wall = Date.now()
    // Before the first answer only the clock of this machine is known.
    if (before.here === 0) return
    const expected = before.server - before.here
    if (read.server < expected + Math.min(asked, read.here) - STEADY) this.#jump = read.server - expected - read.here
    if (read.server > expected + performance.now() + STEADY) {
      this.#aheadUntil = performance.now() + AHEAD
      // While this machine was suspended its monotonic clock stood still, but not the clock that it shows.
      const slept = Math.abs(read.server - before.server - (this.#wall - wall)) < STEADY
      if (!slept) this.#jump = read.server - expected - read.here
    }
  }
}
