import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import type { Connection } from '../../operations/door/connection.ts'
import { readResource } from './resources.ts'

/** The most resources that one client may watch, and the longest address (characters). */
const [MOST, LONGEST] = [1000, 2000]

/** Notifies a client of changes to its subscribed resources; without subscriptions it does not query the database. */
export class Subscriptions {
  readonly #connection: Connection
  readonly #tell: (uri: string) => Promise<void>
  readonly #signal: AbortSignal
  /** A hash of each resource at its last notification. */
  readonly #seen = new Map<string, string>()
  #watching = false

  constructor(connection: Connection, tell: (uri: string) => Promise<void>, signal: AbortSignal) {
    this.#connection = connection
    this.#tell = tell
    this.#signal = signal
  }

  /** A missing resource may be subscribed to as well: its client is notified when it appears. */
  async add(uri: string): Promise<void> {
    if (uri.length > LONGEST)
      throw new Refusal('invalid_input', `The address of a resource may have at most ${LONGEST} characters.`)
    if (this.#seen.size >= MOST && !this.#seen.has(uri))
      throw new Refusal('invalid_state', `A client may subscribe to at most ${MOST} resources. Unsubscribe from one.`)
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
      // A busy board causes at most four notifications a second.
      await sleep(250, undefined, { signal: this.#signal }).catch(() => {})
    }
    this.#watching = false
  }

  async #hash(uri: string): Promise<string> {
    const content = await readResource(this.#connection, uri).catch((error: unknown) => {
      if (isRefusal(error) && error.code === 'not_found') return null
      throw error
    })
    return createHash('sha256').update(JSON.stringify(content)).digest('base64')
  }
}
