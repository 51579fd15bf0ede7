import type {
  InitializeRequest,
  LoadSessionRequest,
  McpServer,
  NewSessionRequest,
  PromptRequest,
  RequestPermissionResponse,
  SetSessionConfigOptionRequest,
  SetSessionModeRequest,
} from '@agentclientprotocol/sdk'
import type { Note, Step } from '../kind/conversation.ts'
import { fields, type Fields, list, oneLine, text } from '../kind/json-line.ts'
import { type Answer, keyOf, sentenceOf, Wire } from '../kind/json-rpc.ts'
import { SessionDriver, type SessionLine, type Verdict, type Words } from '../kind/session-driver.ts'
import { callOf, isOwnTool } from './call.ts'

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

/** How the conversation is opened. The environment of a server has the agent's token: this belongs in files only. */
export interface Opening {
  readonly cwd: string
  readonly mcpServers: readonly McpServer[]
  /** The session to load; null for a new one. */
  readonly load: string | null
  readonly modes: readonly string[]
  /** True if it must not work in any other mode. */
  readonly strict: boolean
  readonly titled: boolean
  readonly rejectEnds: boolean
  readonly drains?: string | undefined
}

/** A verdict with the options that the agent offered. */
type AcpVerdict = Verdict & { readonly options: readonly Fields[] }

export type AcpLine = SessionLine<Opening, AcpVerdict>

const PASS: Step = { send: [], note: [] }

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } }

const selected = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: 'selected', optionId } })

/** The option for one verdict, once; undefined if the agent offers none. */
const optionFor = (options: readonly Fields[], allow: boolean): string | undefined => {
  const verb = allow ? 'allow' : 'reject'
  const option =
    options.find(({ kind }) => kind === `${verb}_once`) ?? options.find(({ kind }) => text(kind).startsWith(verb))
  return option === undefined ? undefined : text(option.optionId)
}

/** Called as the opening goes on. */
interface Watcher {
  /** The method whose answer is waited for; undefined when the session is open. */
  readonly waits: (method: string | undefined) => void
  /** The session is known; `steers` if words reach it in the middle of a turn. */
  readonly opened: (session: string, steers: boolean) => void
  readonly failed: (why: string) => void
}

/** Opens the session of an agent, a new one or an earlier one, and puts it into the mode in which it asks. */
const openSession = (wire: Wire, opening: Opening, watcher: Watcher): void => {
  const params: InitializeRequest = {
    protocolVersion: 1,
    // Files read through the client would need it all the time: all agents can use the disk themselves.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'aiswarm', version: '1' },
  }
  const ask = (method: string, of: unknown, answer: Answer): void => {
    watcher.waits(method)
    wire.request(method, of, (result, error) => {
      if (error) watcher.failed(lostOf(method, opening, sentenceOf(error)))
      else answer(result, undefined)
    })
  }
  ask('initialize', params, (result) => {
    if (result.protocolVersion !== 1)
      return watcher.failed(`it speaks version ${String(result.protocolVersion)} of the Agent Client Protocol, not 1`)
    const capabilities = fields(result.agentCapabilities)
    const steers = [result, capabilities].some((of) => fields(fields(of._meta).steering).supported === true)
    const { cwd, mcpServers, load } = opening
    const session: NewSessionRequest = { cwd, mcpServers: [...mcpServers] }
    const opened = (id: string, answer: Fields): void => {
      if (id === '') return watcher.failed('it named no session')
      wire.tell({ is: 'session', id })
      watcher.opened(id, steers)
      setMode(ask, opening, watcher, id, answer)
    }
    if (load === null || capabilities.loadSession !== true)
      ask('session/new', session, (answer) => opened(text(answer.sessionId), answer))
    else
      ask('session/load', { ...session, sessionId: load } satisfies LoadSessionRequest, (answer) =>
        opened(load, answer),
      )
  })
}

const lostOf = (method: string, { load }: Opening, said: string): string =>
  method === 'session/load' ? `could not find session ${load!}: ${said}` : said

/** The mode is set in every session: agents start in modes of their own, and do not keep it when one is loaded. */
const setMode = (
  ask: (method: string, params: unknown, answer: Answer) => void,
  { modes, strict }: Opening,
  { waits, failed }: Watcher,
  sessionId: string,
  answer: Fields,
): void => {
  const named = list(fields(answer.modes).availableModes).map(({ id }) => text(id))
  const option = list(answer.configOptions).find(({ category, id }) => category === 'mode' || id === 'mode')
  const values = list(option?.options).map(({ value }) => text(value))
  const mode = modes.find((one) => named.includes(one) || values.includes(one))
  if (mode === undefined) {
    if (strict) failed(`it has none of the modes ${modes.join(', ')}, in which it would ask`)
    else waits(undefined)
    return
  }
  const ready = (): void => waits(undefined)
  if (named.includes(mode)) ask('session/set_mode', { sessionId, modeId: mode } satisfies SetSessionModeRequest, ready)
  else
    ask(
      'session/set_config_option',
      { sessionId, configId: text(option!.id), value: mode } satisfies SetSessionConfigOptionRequest,
      ready,
    )
}

/** Calls that may still be completed; older ones are not reported again. */
const MOST = 256

/**
 * Reports each call once, when its subject is known: some agents announce a call before they know its arguments, some
 * announce none that they asked for.
 */
export class Calls {
  readonly #titled: boolean
  readonly #reported = new Set<string>()
  readonly #began = new Map<string, Fields>()

  constructor(titled: boolean) {
    this.#titled = titled
  }

  /** The call of an update or of a request for permission; undefined if it was reported already, or is not known yet. */
  know(update: Fields): Note | undefined {
    const id = text(update.toolCallId)
    if (id === '' || this.#reported.has(id)) return undefined
    const began = this.#began.get(id) ?? {}
    const call: Fields = { ...began, ...update, _meta: { ...fields(began._meta), ...fields(update._meta) } }
    this.#keep(id, call)
    const ended = update.status === 'completed' || update.status === 'failed'
    const known = Object.keys(fields(update.rawInput)).some((key) => key !== 'cwd')
    const asks = update.sessionUpdate === undefined
    if (!ended && !known && !asks) return undefined
    this.#began.delete(id)
    this.#reported.add(id)
    if (this.#reported.size > MOST) this.#reported.delete(this.#reported.values().next().value!)
    const { tool, about } = callOf(call, this.#titled)
    return { is: 'call', call: id, name: tool, about: oneLine(about === tool ? '' : about) }
  }

  #keep(id: string, call: Fields): void {
    this.#began.set(id, call)
    if (this.#began.size > MOST) this.#began.delete(this.#began.keys().next().value!)
  }
}
