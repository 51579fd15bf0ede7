import type { PromptRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk'
import type { Driver, Step } from '../kind/driver.ts'
import { type Fields, fields, list, objectOf } from '../kind/json-line.ts'
import { keyOf, Wire } from '../kind/wire.ts'
import { Calls } from './calls.ts'
import { isOwnTool } from './call.ts'
import { type JournalLine, type Opening, optionFor } from './journal-line.ts'
import { openSession } from './open-session.ts'

// The types of the official SDK check every message; its connection is not used, because that lives in one process,
// whereas this state follows from the journal and the output.

/** Lines of updates are passed on without a look, so that a flood costs little. */
const UPDATE = '{"jsonrpc":"2.0","method":"session/update"'

interface Words {
  readonly id: string
  readonly text: string
}

/** The client of one ACP agent. At most one prompt is with the agent at a time: a second one cancels or loses the first. */
export class AcpDriver implements Driver {
  readonly #wire = new Wire()
  #opening: Opening | undefined
  #waitsFor: string | undefined = 'the opening'
  #session = ''
  #steers = false
  /** Words that wait for the end of the turn, and those that wait for the agent to ask for them. */
  readonly #queue: Words[] = []
  readonly #midTurn: Words[] = []
  #running: string | undefined
  #cancelling = false
  readonly #stops: string[] = []
  /** Requests of the agent that wait, by id. */
  readonly #open = new Map<string, unknown>()
  readonly #answered = new Set<string>()
  #calls = new Calls(false)
  #ended = false
  #failed = false

  get opening(): string | undefined {
    return this.#waitsFor
  }

  get failed(): boolean {
    return this.#failed
  }

  get over(): boolean {
    const resting = this.#running === undefined && this.#queue.length + this.#midTurn.length === 0
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
    const entry = objectOf(line) as JournalLine | undefined
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
    if (line.startsWith(UPDATE) && this.#waitsFor !== 'session/load' && !line.includes('"tool_call')) {
      // A list of commands for a person's menu, of several kilobytes.
      return line.includes('"sessionUpdate":"available_commands_update"') ? { send: [], note: [], keep: false } : PASS
    }
    const message = objectOf(line)
    if (message === undefined) return PASS
    const keep = this.#hear(message)
    return { ...this.#wire.step(), keep }
  }

  /** True if the message belongs into the output. */
  #hear(message: Fields): boolean {
    const { id, method, params } = message
    if (typeof method === 'string' && id !== undefined) return this.#asked(id, method, fields(params))
    if (method === 'session/update') {
      const update = fields(fields(params).update)
      // The replay of a loaded conversation is in the output of earlier runs already.
      if (this.#waitsFor === 'session/load') return false
      this.#called(update)
      return update.sessionUpdate !== 'available_commands_update'
    }
    if (method === undefined && id !== undefined) {
      this.#wire.answered(message)
    }
    return true
  }

  #begin(opening: Opening): void {
    this.#opening = opening
    this.#calls = new Calls(opening.titled)
    openSession(this.#wire, opening, {
      waits: (method) => {
        this.#waitsFor = method
        this.#pump()
      },
      opened: (session, steers) => {
        this.#session = session
        this.#steers = steers
      },
      failed: (why) => this.#fail(why),
    })
  }

  #say(words: Words, now: boolean): void {
    if (this.#running === undefined || !now) this.#queue.push(words)
    else if (this.#opening?.drains !== undefined && !this.#cancelling) this.#midTurn.push(words)
    else if (this.#steers && !this.#cancelling) this.#steer(words)
    else {
      this.#queue.push(words)
      this.#cancel()
    }
    this.#pump()
  }

  #steer(words: Words): void {
    const params = { sessionId: this.#session, prompt: [{ type: 'text', text: words.text }] } satisfies PromptRequest
    this.#wire.request('_session/steering', params, (result, error) => {
      if (!error && result.outcome === 'injected') return this.#wire.tell({ is: 'sent', id: words.id, turn: false })
      this.#queue.push(words)
      if (this.#running !== undefined) this.#cancel()
      this.#pump()
    })
  }

  #stop(): void {
    if (this.#running !== undefined) this.#cancel()
    else if (this.#waitsFor === undefined && this.#queue.length === 0) this.#stopped()
  }

  #stopped(): void {
    for (const id of this.#stops.splice(0)) this.#wire.tell({ is: 'stopped', id })
  }

  /** Open requests are answered with it: an agent may wait for both. */
  #cancel(): void {
    if (this.#cancelling) return
    this.#cancelling = true
    for (const key of [...this.#open.keys()]) this.#reply(key, CANCELLED)
    this.#wire.notify('session/cancel', { sessionId: this.#session })
  }

  #decide({ call, allow, options, then }: Extract<JournalLine, { do: 'answer' }>): void {
    // The request is gone: the turn was stopped, or the agent took it back.
    if (!this.#open.has(call)) return
    const optionId = optionFor(options, allow)
    this.#reply(call, optionId === undefined ? CANCELLED : { outcome: { outcome: 'selected', optionId } })
    if (then === undefined) return
    if (this.#opening!.rejectEnds || this.#running === undefined) this.#queue.unshift(then)
    else this.#say(then, true)
    this.#pump()
  }

  #pump(): void {
    if (this.#waitsFor !== undefined || this.#running !== undefined || this.#failed) return
    const words = this.#queue.shift() ?? this.#midTurn.shift()
    if (words === undefined) return
    this.#running = words.id
    this.#wire.tell({ is: 'sent', id: words.id, turn: true })
    const params = { sessionId: this.#session, prompt: [{ type: 'text', text: words.text }] } satisfies PromptRequest
    this.#wire.request('session/prompt', params, () => this.#turnOver(), words.id)
    if (this.#stops.length > 0) this.#cancel()
  }

  #turnOver(): void {
    this.#running = undefined
    this.#cancelling = false
    this.#open.clear()
    this.#stopped()
    this.#pump()
  }

  #asked(id: unknown, method: string, params: Fields): boolean {
    const key = keyOf(id)
    if (method === this.#opening?.drains) {
      const words = this.#midTurn.splice(0)
      for (const one of words) this.#wire.tell({ is: 'sent', id: one.id, turn: false })
      this.#wire.result(id, { messages: words.map((one) => one.text), hasQueuedPrompt: this.#queue.length > 0 })
      return words.length > 0
    }
    if (method !== 'session/request_permission') {
      this.#wire.error(id, -32601, `aiswarm does not serve ${method}`)
      return true
    }
    // An id that was answered names another question now; its answer must not allow this one.
    if (this.#answered.has(key)) {
      this.#wire.error(id, -32600, 'this id was used before')
      return false
    }
    if (this.#open.has(key)) return false
    this.#open.set(key, id)
    const call = fields(params.toolCall)
    const allow = optionFor(list(params.options), true)
    if (this.#cancelling) this.#reply(key, CANCELLED)
    else if (isOwnTool(call) && allow !== undefined)
      this.#reply(key, { outcome: { outcome: 'selected', optionId: allow } })
    else return this.#called(call)
    this.#called(call)
    return false
  }

  #called(update: Fields): true {
    const note = this.#calls.know(update)
    if (note !== undefined) this.#wire.tell(note)
    return true
  }

  #reply(key: string, result: RequestPermissionResponse): void {
    this.#wire.result(this.#open.get(key), result)
    this.#open.delete(key)
    this.#answered.add(key)
  }

  #fail(why: string): void {
    if (this.#failed) return
    this.#failed = true
    this.#wire.tell({ is: 'failed', why })
  }
}

const PASS: Step = { send: [], note: [] }

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } }
