import type { Driver, Step } from '../kind/driver.ts'
import { type Fields, fields, objectOf, text } from '../kind/json-line.ts'
import { keyOf, sentenceOf, Wire } from '../kind/wire.ts'
import { type CodexLine, type CodexOpening, replyOf } from './journal-line.ts'

interface Words {
  readonly id: string
  readonly text: string
}

/** The client of `codex app-server`. A turn is steered with its id, which the answer to its start tells. */
export class CodexDriver implements Driver {
  // Its messages do not name the version of JSON-RPC.
  readonly #wire = new Wire({})
  #waitsFor: string | undefined = 'the opening'
  #thread = ''
  readonly #queue: Words[] = []
  #running = false
  #turn: string | undefined
  /** Words and stops that wait until the turn is known. */
  readonly #early: Words[] = []
  readonly #stops: string[] = []
  /** Requests of Codex that wait for a verdict, with their methods. */
  readonly #open = new Map<string, { readonly id: unknown; readonly method: string }>()
  #ended = false
  #failed = false

  get opening(): string | undefined {
    return this.#waitsFor
  }

  get failed(): boolean {
    return this.#failed
  }

  get over(): boolean {
    const resting = !this.#running && this.#queue.length === 0
    return this.#failed || (this.#ended && this.#waitsFor === undefined && resting)
  }

  end(): void {
    this.#ended = true
  }

  fail(why: string): Step {
    this.#fail(why)
    return this.#wire.step()
  }

  take(line: string): Step {
    const entry = objectOf(line) as CodexLine | undefined
    switch (entry?.do) {
      case 'open':
        this.#begin(entry)
        break
      case 'say':
        this.#say(entry, entry.now)
        break
      case 'stop':
        this.#stops.push(entry.id)
        this.#stop()
        break
      case 'answer':
        this.#decide(entry)
    }
    return this.#wire.step()
  }

  hear(line: string): Step {
    const message = objectOf(line)
    if (message === undefined) return { send: [], note: [] }
    const { id, method, params } = message
    let keep = true
    if (typeof method === 'string' && id !== undefined) keep = this.#asked(id, method)
    else if (method === 'turn/started') this.#know(text(fields(fields(params).turn).id))
    else if (method === 'turn/completed') this.#turnOver()
    else if (method === 'serverRequest/resolved') this.#open.delete(keyOf(fields(params).requestId))
    else if (method === undefined && id !== undefined) this.#wire.answered(message)
    return { ...this.#wire.step(), keep }
  }

  #begin({ resume, thread }: CodexOpening): void {
    const method = resume === null ? 'thread/start' : 'thread/resume'
    const opened = (result: Fields, error: Fields | undefined): void => {
      const id = text(fields(result.thread).id)
      if (error) return this.#fail(`${resume === null ? '' : `could not find session ${resume}: `}${sentenceOf(error)}`)
      if (id === '') return this.#fail('it named no thread')
      this.#thread = id
      this.#waitsFor = undefined
      this.#wire.tell({ is: 'session', id })
      this.#pump()
    }
    this.#waitsFor = 'initialize'
    const client = { clientInfo: { name: 'aiswarm', title: null, version: '1' }, capabilities: null }
    this.#wire.request('initialize', client, (_, error) => {
      if (error) return this.#fail(sentenceOf(error))
      this.#wire.notify('initialized')
      this.#waitsFor = method
      this.#wire.request(method, resume === null ? thread : { ...thread, threadId: resume, excludeTurns: true }, opened)
    })
  }

  #say(words: Words, now: boolean): void {
    if (!this.#running || !now) {
      this.#queue.push(words)
      this.#pump()
    } else if (this.#turn === undefined) this.#early.push(words)
    else this.#steer(words, this.#turn)
  }

  #steer(words: Words, expectedTurnId: string): void {
    this.#wire.tell({ is: 'sent', id: words.id, turn: false })
    this.#wire.request('turn/steer', { ...this.#input(words), expectedTurnId }, (_, error) => {
      if (!error) return
      // The turn has ended meanwhile.
      this.#queue.push(words)
      this.#pump()
    })
  }

  #stop(): void {
    if (this.#turn !== undefined)
      this.#wire.request('turn/interrupt', { threadId: this.#thread, turnId: this.#turn }, () => {})
    else if (!this.#running && this.#waitsFor === undefined) this.#stopped()
  }

  #stopped(): void {
    for (const id of this.#stops.splice(0)) this.#wire.tell({ is: 'stopped', id })
  }

  #decide({ call, allow, then }: Extract<CodexLine, { do: 'answer' }>): void {
    const request = this.#open.get(call)
    if (request === undefined) return
    this.#open.delete(call)
    this.#wire.result(request.id, replyOf(request.method, allow))
    if (then !== undefined) this.#say(then, true)
  }

  #pump(): void {
    if (this.#waitsFor !== undefined || this.#running || this.#failed) return
    const words = this.#queue.shift()
    if (words === undefined) return
    this.#running = true
    this.#wire.tell({ is: 'sent', id: words.id, turn: true })
    this.#wire.request('turn/start', this.#input(words), (result, error) => {
      if (error) this.#turnOver()
      else this.#know(text(fields(result.turn).id))
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
    if (this.#stops.length > 0) this.#stop()
  }

  #turnOver(): void {
    this.#running = false
    this.#turn = undefined
    this.#open.clear()
    this.#queue.unshift(...this.#early.splice(0))
    this.#stopped()
    this.#pump()
  }

  /** True if the request belongs into the output, where it waits for a person. */
  #asked(id: unknown, method: string): boolean {
    if (replyOf(method, false) === undefined) {
      this.#wire.error(id, -32601, `aiswarm does not serve ${method}`)
      return true
    }
    if (this.#open.has(keyOf(id))) return false
    this.#open.set(keyOf(id), { id, method })
    return true
  }

  #fail(why: string): void {
    if (this.#failed) return
    this.#failed = true
    this.#wire.tell({ is: 'failed', why })
  }
}
