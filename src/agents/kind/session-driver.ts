import type { Driver, Step } from './driver.ts'
import { type Fields, objectOf } from './json-line.ts'
import { Requests } from './requests.ts'
import type { SessionLine, Verdict, Words } from './session-line.ts'
import { keyOf, type Wire } from './wire.ts'

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
