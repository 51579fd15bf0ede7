import { instant, type Instant, milliseconds } from '../../domain/words/time.ts'
import type { ClockRead, Server } from './server.ts'

/**
 * The clock of the server as this process knows it: the monotonic clock of the machine, set anew by every connection,
 * every write and every look for changes. It never goes back.
 */
export class StoreClock {
  readonly #server: Server
  #read: ClockRead = { server: Date.now() - performance.now(), here: 0 }
  #last = 0

  constructor(server: Server) {
    this.#server = server
  }

  /** The instant of a write, as the server reports it. */
  setBy(at: Instant): Instant {
    const ms = milliseconds(at)
    this.#read = { server: ms, here: performance.now() }
    return instant((this.#last = Math.max(this.#last, ms)))
  }

  /** The clock of the server as another statement has read it. */
  readAs(read: ClockRead): void {
    if (read.here > this.#read.here) this.#read = read
  }

  now(): Instant {
    const read = this.#server.clock?.()
    if (read !== undefined) this.readAs(read)
    return instant(
      (this.#last = Math.max(this.#last, Math.round(this.#read.server + performance.now() - this.#read.here))),
    )
  }
}
