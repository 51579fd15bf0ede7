import type { Driver, Step } from './conversation.ts'
import { type Fields, objectOf } from './json-line.ts'
import { keyOf, type Wire } from './json-rpc.ts'

/**
 * The client of an agent that works in one session, in turns: what every protocol of that form has in common. `O` is the
 * opening of the session, `V` a verdict, `R` a request of the agent that waits for one.
 */
export abstract class SessionDriver<O, V extends Verdict, R> implements Driver {
  protected readonly wire: Wire
  protected readonly requests = new Requests<R>()
  /** The method whose answer is waited for; undefined once the session is open. */
  protected waitsFor: string | undefined = 'the opening'
  #stops: string[] = []
  #ended = false
  #failed = false

  constructor(wire: Wire) {
    this.wire = wire
  }

  /** True while no turn runs and no words wait. */
  protected abstract readonly resting: boolean
  protected abstract begin(opening: O): void
  protected abstract say(words: Words, now: boolean): void
  /** Stops the turn that runs; called again when one begins while a stop waits. */
  protected abstract stop(): void
  protected abstract decide(verdict: V): void
  /** Handles a message of the agent. True if it belongs into the output. */
  protected abstract heard(message: Fields): boolean

  get opening(): string | undefined {
    return this.waitsFor
  }

  get failed(): boolean {
    return this.#failed
  }

  get over(): boolean {
    return this.#failed || (this.#ended && this.waitsFor === undefined && this.resting)
  }

  end(): void {
    this.#ended = true
  }

  fail(why: string): Step {
    this.failWith(why)
    return this.wire.step()
  }

  take(line: string): Step {
    const entry = objectOf(line) as SessionLine<O, V> | undefined
    switch (entry?.do) {
      case 'open':
        this.begin(entry)
        break
      case 'say':
        this.say(entry, entry.now)
        break
      case 'stop':
        this.#stops.push(entry.id)
        this.stop()
        break
      case 'answer':
        this.decide(entry)
    }
    return this.wire.step()
  }

  hear(line: string): Step {
    const message = objectOf(line)
    if (message === undefined) return { send: [], note: [] }
    const keep = this.heard(message)
    return { ...this.wire.step(), keep }
  }

  protected get stopWaits(): boolean {
    return this.#stops.length > 0
  }

  /** The turn is over, or there was none: says so to everyone who wanted it stopped. */
  protected stopped(): void {
    for (const id of this.#stops.splice(0)) this.wire.tell({ is: 'stopped', id })
  }

  protected failWith(why: string): void {
    if (this.#failed) return
    this.#failed = true
    this.wire.tell({ is: 'failed', why })
  }

  /** Remembers a request until its verdict. True if it is new; an id of an earlier request is refused at once. */
  protected asks(id: unknown, request: R): boolean {
    const arrival = this.requests.add(keyOf(id), request)
    if (arrival === 'used') this.wire.error(id, -32600, 'this id was used before')
    return arrival === 'new'
  }
}

/** Whether a request is the first with its id, the same one again, or another one with the id of an earlier one. */
type Arrival = 'new' | 'repeated' | 'used'

/** The requests of an agent that wait for a verdict. An id counts once: a late verdict never answers a later request. */
class Requests<T> {
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

// The lines that aiswarm writes into the journal of an agent. They say what is to be done; the driver in the relay knows
// the session and the state of the turn, and makes the messages of the protocol.

/** The words of a person. */
export interface Words {
  readonly id: string
  readonly text: string
}

/** A verdict of a person. */
export interface Verdict {
  readonly call: string
  readonly allow: boolean
  /** Said after a denial, whose words the agent would not read otherwise. */
  readonly then?: Words | undefined
}

/** A line of the journal, with the opening and the verdict of one protocol. */
export type SessionLine<O, V extends Verdict> =
  | ({ readonly do: 'open' } & O)
  /** `now`: in the middle of a turn, or instead of the rest of it; otherwise after its end. */
  | ({ readonly do: 'say'; readonly now: boolean } & Words)
  | { readonly do: 'stop'; readonly id: string }
  | ({ readonly do: 'answer' } & V)
