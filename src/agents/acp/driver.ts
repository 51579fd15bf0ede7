import type { PromptRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk'
import type { Step } from '../kind/driver.ts'
import { type Fields, fields, list } from '../kind/json-line.ts'
import { SessionDriver } from '../kind/session-driver.ts'
import type { Words } from '../kind/session-line.ts'
import { keyOf, Wire } from '../kind/wire.ts'
import { Calls } from './calls.ts'
import { isOwnTool } from './call.ts'
import { type AcpVerdict, type Opening, optionFor } from './journal-line.ts'
import { openSession } from './open-session.ts'

// The types of the official SDK check every message; its connection is not used, because that lives in one process,
// whereas this state follows from the journal and the output.

/** Lines of updates are passed on without a look, so that a flood costs little. */
const UPDATE = '{"jsonrpc":"2.0","method":"session/update"'

/** The client of one ACP agent. At most one prompt is with the agent at a time: a second one cancels or loses the first. */
export class AcpDriver extends SessionDriver<Opening, AcpVerdict, unknown> {
  #opening: Opening | undefined
  #session = ''
  #steers = false
  /** Words that wait for the end of the turn, and those that wait for the agent to ask for them. */
  readonly #queue: Words[] = []
  readonly #midTurn: Words[] = []
  #running: string | undefined
  #cancelling = false
  #calls = new Calls(false)

  constructor() {
    super(new Wire())
  }

  protected get resting(): boolean {
    return this.#running === undefined && this.#queue.length + this.#midTurn.length === 0
  }

  override hear(line: string): Step {
    if (line.startsWith(UPDATE) && this.waitsFor !== 'session/load' && !line.includes('"tool_call')) {
      // A list of commands for a person's menu, of several kilobytes.
      return line.includes('"sessionUpdate":"available_commands_update"') ? { send: [], note: [], keep: false } : PASS
    }
    return super.hear(line)
  }

  protected heard(message: Fields): boolean {
    const { id, method, params } = message
    if (typeof method === 'string' && id !== undefined) return this.#asked(id, method, fields(params))
    if (method === 'session/update') {
      const update = fields(fields(params).update)
      // The replay of a loaded conversation is in the output of earlier runs already.
      if (this.waitsFor === 'session/load') return false
      this.#called(update)
      return update.sessionUpdate !== 'available_commands_update'
    }
    if (method === undefined && id !== undefined) this.wire.answered(message)
    return true
  }

  protected begin(opening: Opening): void {
    this.#opening = opening
    this.#calls = new Calls(opening.titled)
    openSession(this.wire, opening, {
      waits: (method) => {
        this.waitsFor = method
        this.#pump()
      },
      opened: (session, steers) => {
        this.#session = session
        this.#steers = steers
      },
      failed: (why) => this.failWith(why),
    })
  }

  protected say(words: Words, now: boolean): void {
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
    this.wire.request('_session/steering', params, (result, error) => {
      if (!error && result.outcome === 'injected') return this.wire.tell({ is: 'sent', id: words.id, turn: false })
      this.#queue.push(words)
      if (this.#running !== undefined) this.#cancel()
      this.#pump()
    })
  }

  protected stop(): void {
    if (this.#running !== undefined) this.#cancel()
    else if (this.waitsFor === undefined && this.#queue.length === 0) this.stopped()
  }

  /** Open requests are answered with it: an agent may wait for both. */
  #cancel(): void {
    if (this.#cancelling) return
    this.#cancelling = true
    for (const key of this.requests.keys()) this.#reply(key, CANCELLED)
    this.wire.notify('session/cancel', { sessionId: this.#session })
  }

  protected decide({ call, allow, options, then }: AcpVerdict): void {
    const option = optionFor(options, allow)
    const gone = !this.#reply(call, option === undefined ? CANCELLED : selected(option))
    if (gone || then === undefined) return
    if (this.#opening!.rejectEnds || this.#running === undefined) this.#queue.unshift(then)
    else this.say(then, true)
    this.#pump()
  }

  #pump(): void {
    if (this.waitsFor !== undefined || this.#running !== undefined || this.failed) return
    const words = this.#queue.shift() ?? this.#midTurn.shift()
    if (words === undefined) return
    this.#running = words.id
    this.wire.tell({ is: 'sent', id: words.id, turn: true })
    const params = { sessionId: this.#session, prompt: [{ type: 'text', text: words.text }] } satisfies PromptRequest
    this.wire.request('session/prompt', params, () => this.#turnOver(), words.id)
    if (this.stopWaits) this.#cancel()
  }

  #turnOver(): void {
    this.#running = undefined
    this.#cancelling = false
    this.requests.clear()
    this.stopped()
    this.#pump()
  }

  #asked(id: unknown, method: string, params: Fields): boolean {
    const key = keyOf(id)
    if (method === this.#opening?.drains) {
      const words = this.#midTurn.splice(0)
      for (const one of words) this.wire.tell({ is: 'sent', id: one.id, turn: false })
      this.wire.result(id, { messages: words.map((one) => one.text), hasQueuedPrompt: this.#queue.length > 0 })
      return words.length > 0
    }
    if (method !== 'session/request_permission') {
      this.wire.error(id, -32601, `aiswarm does not serve ${method}`)
      return true
    }
    if (!this.asks(id, id)) return false
    const call = fields(params.toolCall)
    const allow = optionFor(list(params.options), true)
    if (this.#cancelling) this.#reply(key, CANCELLED)
    else if (isOwnTool(call) && allow !== undefined) this.#reply(key, selected(allow))
    else return this.#called(call)
    this.#called(call)
    return false
  }

  #called(update: Fields): true {
    const note = this.#calls.know(update)
    if (note !== undefined) this.wire.tell(note)
    return true
  }

  /** False if the request is gone. */
  #reply(key: string, result: RequestPermissionResponse): boolean {
    const id = this.requests.take(key)
    if (id !== undefined) this.wire.result(id, result)
    return id !== undefined
  }
}

const PASS: Step = { send: [], note: [] }

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } }

const selected = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: 'selected', optionId } })
