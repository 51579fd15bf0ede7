/** Whether a request is the first with its id, the same one again, or another one with the id of an earlier one. */
type Arrival = 'new' | 'repeated' | 'used'

/** The requests of an agent that wait for a verdict. An id counts once: a late verdict never answers a later request. */
export class Requests<T> {
  readonly #open = new Map<string, T>()
  readonly #used = new Set<string>()

  add(key: string, request: T): Arrival {
    if (this.#open.has(key)) return 'repeated'
    if (this.#used.has(key)) return 'used'
    this.#used.add(key)
    this.#open.set(key, request)
    return 'new'
  }

  /** Takes a request out; undefined if it is gone: answered before, withdrawn, or of a turn that has ended. */
  take(key: string): T | undefined {
    const request = this.#open.get(key)
    this.#open.delete(key)
    return request
  }

  keys(): readonly string[] {
    return [...this.#open.keys()]
  }

  clear(): void {
    this.#open.clear()
  }
}
