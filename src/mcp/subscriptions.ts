import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../operations/kernel/outside.ts'
import { readResource } from './resources.ts'

/** Tells a client of changes of the resources it subscribed to; asks nothing of the database while there are none. */
export class Subscriptions {
  readonly #connection: Connection
  readonly #tell: (uri: string) => Promise<void>
  readonly #signal: AbortSignal
  /** What each resource was when it was told last, as a hash. */
  readonly #seen = new Map<string, string>()
  #watching = false

  constructor(connection: Connection, tell: (uri: string) => Promise<void>, signal: AbortSignal) {
    this.#connection = connection
    this.#tell = tell
    this.#signal = signal
  }

  async add(uri: string): Promise<void> {
    this.#seen.set(uri, await this.#hash(uri))
    if (!this.#watching) void this.#watch()
  }

  remove(uri: string): void {
    this.#seen.delete(uri)
  }

  async #watch(): Promise<void> {
    this.#watching = true
    const { core, outside } = this.#connection
    let version = core.store.version()
    while (this.#seen.size > 0 && !this.#signal.aborted) {
      await outside.nextChange(version, 60_000, this.#signal)
      if (this.#signal.aborted) break
      version = core.store.version()
      for (const [uri, before] of this.#seen) {
        const now = await this.#hash(uri).catch(() => before)
        if (now === before) continue
        this.#seen.set(uri, now)
        await this.#tell(uri).catch(() => {})
      }
      // A busy board is told of at most four times a second.
      await sleep(250, undefined, { signal: this.#signal }).catch(() => {})
    }
    this.#watching = false
  }

  async #hash(uri: string): Promise<string> {
    return createHash('sha256')
      .update(JSON.stringify(await readResource(this.#connection, uri)))
      .digest('base64')
  }
}
