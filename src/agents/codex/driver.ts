import { type Fields, fields, text } from '../kind/json-line.ts'
import { SessionDriver, type Verdict, type Words } from '../kind/session-driver.ts'
import { keyOf, sentenceOf, Wire } from '../kind/json-rpc.ts'
import { type CodexOpening, replyOf } from './journal-line.ts'

/** A request of Codex that waits for a verdict. */
interface Request {
  readonly id: unknown
  readonly method: string
}

/** The client of `codex app-server`. A turn is steered with its id, which the answer to its start tells. */
export class CodexDriver extends SessionDriver<CodexOpening, Verdict, Request> {
  #thread = ''
  readonly #queue: Words[] = []
  #running = false
  #turn: string | undefined
  /** Words that wait until the turn is known. */
  readonly #early: Words[] = []

  constructor() {
    // Its messages do not name the version of JSON-RPC.
    super(new Wire({}))
  }

  protected get resting(): boolean {
    return !this.#running && this.#queue.length === 0
  }

  protected heard(message: Fields): boolean {
    const { id, method, params } = message
    if (typeof method === 'string' && id !== undefined) return this.#asked(id, method)
    if (method === 'turn/started') this.#know(text(fields(fields(params).turn).id))
    else if (method === 'turn/completed') this.#turnOver()
    else if (method === 'serverRequest/resolved') this.requests.take(keyOf(fields(params).requestId))
    else if (method === undefined && id !== undefined) this.wire.answered(message)
    return true
  }

  protected begin({ resume, fork = null, thread }: CodexOpening): void {
    const from = fork ?? resume
    const method = fork !== null ? 'thread/fork' : resume === null ? 'thread/start' : 'thread/resume'
    const opened = (result: Fields, error: Fields | undefined): void => {
      const id = text(fields(result.thread).id)
      if (error) return this.failWith(`${from === null ? '' : `could not find session ${from}: `}${sentenceOf(error)}`)
      if (id === '') return this.failWith('it named no thread')
      this.#thread = id
      this.waitsFor = undefined
      this.wire.tell({ is: 'session', id })
      this.#pump()
    }
    this.waitsFor = 'initialize'
    const client = { clientInfo: { name: 'aiswarm', title: null, version: '1' }, capabilities: null }
    this.wire.request('initialize', client, (_, error) => {
      if (error) return this.failWith(sentenceOf(error))
      this.wire.notify('initialized')
      this.waitsFor = method
      this.wire.request(method, from === null ? thread : { ...thread, threadId: from, excludeTurns: true }, opened)
    })
  }

  protected say(words: Words, now: boolean): void {
    if (!this.#running || !now) {
      this.#queue.push(words)
      this.#pump()
    } else if (this.#turn === undefined) this.#early.push(words)
    else this.#steer(words, this.#turn)
  }

  #steer(words: Words, expectedTurnId: string): void {
    this.wire.request('turn/steer', { ...this.#input(words), expectedTurnId }, (_, error) => {
      if (!error) return this.wire.tell({ is: 'sent', id: words.id, turn: false })
      // The turn has ended meanwhile.
      this.#queue.push(words)
      this.#pump()
    })
  }

  protected stop(): void {
    if (this.#turn !== undefined)
      this.wire.request('turn/interrupt', { threadId: this.#thread, turnId: this.#turn }, () => {})
    else if (!this.#running && this.waitsFor === undefined) this.stopped()
  }

  protected decide({ call, allow, then }: Verdict): void {
    const request = this.requests.take(call)
    if (request === undefined) return
    this.wire.result(request.id, replyOf(request.method, allow))
    if (then !== undefined) this.say(then, true)
  }

  #pump(): void {
    if (this.waitsFor !== undefined || this.#running || this.failed) return
    const words = this.#queue.shift()
    if (words === undefined) return
    this.#running = true
    this.wire.tell({ is: 'sent', id: words.id, turn: true })
    this.wire.request('turn/start', this.#input(words), (result, error) => {
      if (error) {
        this.wire.tell({ is: 'unsent', id: words.id })
        this.#turnOver()
      } else this.#know(text(fields(result.turn).id))
    })
  }

  #input({ id, text: words }: Words): object {
    const input = [{ type: 'text', text: words, text_elements: [] }]
    return { threadId: this.#thread, clientUserMessageId: id, input }
  }

  #know(turn: string): void {
    if (turn === '' || !this.#running || this.#turn === turn) return
    this.#turn = turn
    for (const words of this.#early.splice(0)) this.#steer(words, turn)
    if (this.stopWaits) this.stop()
  }

  #turnOver(): void {
    this.#running = false
    this.#turn = undefined
    this.requests.clear()
    this.#queue.unshift(...this.#early.splice(0))
    this.stopped()
    this.#pump()
  }

  /** True if the request belongs into the output, where it waits for a person. */
  #asked(id: unknown, method: string): boolean {
    if (replyOf(method, false) === undefined) {
      this.wire.error(id, -32601, `aiswarm does not serve ${method}`)
      return true
    }
    return this.asks(id, { id, method })
  }
}
