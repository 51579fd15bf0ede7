import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { NOT_SERVED } from './entry.ts'
import { Lines } from './messages.ts'

// An agent's MCP server: its messages go to the process that runs the agents of the host, and come back. That process may
// end and be started again: then this one connects again, repeats how the client has begun, and sends what has no answer
// yet. Each call has an id, so that a repeated one is done once.

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

interface Waiting {
  readonly line: string
  readonly isCall: boolean
  readonly since: number
}

interface Ends {
  /** How long a call waits for a process that does not serve (ms). */
  readonly patience?: number
  /** Throws while there is no socket. */
  readonly connect: () => Socket
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  /** The first line of each connection. */
  readonly request: string
}

/** Pipes until the client disconnects. */
export const pipe = (ends: Ends): Promise<void> => new Pipe(ends).ended

/** How long a call waits for a process that does not serve (ms). */
const PATIENCE = 50_000

/** How often a process that owes answers is asked whether it is there (ms): a person may let a call wait for hours. */
const ASK = 5000

/** The pause between two tries to connect (ms). */
const PAUSE = 200

/** How long the last calls may take when the client has gone (ms). */
const LAST_CALLS = 3000

class Pipe {
  readonly ended: Promise<void>
  readonly #ends: Ends
  #end: () => void = () => {}
  #socket: Socket | undefined
  /** How the client has begun, and what it wants to hear of. */
  readonly #beginning: string[] = []
  /** The answers to a repeated beginning, which the client has had. */
  readonly #known = new Set<string | number>()
  readonly #waiting = new Map<string | number, Waiting>()
  /** Calls that were answered for a process that did not serve, whose own answer comes too late. */
  readonly #refused = new Set<string | number>()
  /** Since when the process has owed the answer to the question whether it is there; undefined: it owes none. */
  #asked: number | undefined
  #heard = performance.now()
  #looked = performance.now()
  #gone = false

  constructor(ends: Ends) {
    this.#ends = ends
    this.ended = new Promise((resolve) => (this.#end = resolve))
    const lines = new Lines((line) => this.#fromClient(line))
    ends.input.on('data', (piece: Buffer) => lines.take(piece))
    ends.input.once('end', () => this.#leave())
    ends.input.once('error', () => this.#leave())
    setInterval(() => this.#giveUp(), Math.min(1000, this.#patience / 5)).unref()
    this.#open()
  }

  get #patience(): number {
    return this.#ends.patience ?? PATIENCE
  }

  #open(): void {
    if (this.#gone && this.#waiting.size === 0) return this.#end()
    let socket: Socket
    try {
      socket = this.#ends.connect()
    } catch {
      return void setTimeout(() => this.#open(), PAUSE)
    }
    const lines = new Lines((line) => this.#fromServer(line))
    socket.once('connect', () => {
      this.#socket = socket
      this.#asked = undefined
      socket.write(this.#ends.request)
      for (const line of this.#beginning) {
        const { id } = parsed(line)
        if (id !== undefined && !this.#waiting.has(id)) this.#known.add(id)
        socket.write(`${line}\n`)
      }
      for (const { line } of this.#waiting.values()) if (!this.#beginning.includes(line)) socket.write(`${line}\n`)
    })
    socket.on('data', (piece: Buffer) => lines.take(piece))
    socket.on('error', () => {})
    // The other end has ended, or never was there.
    socket.on('end', () => socket.destroy())
    socket.once('close', () => {
      this.#socket = undefined
      setTimeout(() => this.#open(), PAUSE)
    })
  }

  #fromClient(line: string): void {
    const message = parsed(line)
    const sent = message.method === 'tools/call' && message.id !== undefined ? withId(message) : line
    if (['initialize', 'notifications/initialized', 'resources/subscribe'].includes(message.method ?? ''))
      this.#beginning.push(sent)
    if (message.id !== undefined && message.method !== undefined)
      this.#waiting.set(message.id, {
        line: sent,
        isCall: message.method === 'tools/call',
        since: performance.now(),
      })
    if (message.method === 'notifications/cancelled')
      this.#waiting.delete(message.params?.['requestId'] as string | number)
    this.#socket?.write(`${sent}\n`)
  }

  #fromServer(line: string): void {
    const { id, method } = parsed(line)
    this.#heard = performance.now()
    if (id !== undefined && method === undefined) {
      if (id === THERE) return void (this.#asked = undefined)
      if (this.#known.delete(id) || this.#refused.delete(id)) return
      this.#waiting.delete(id)
    }
    this.#ends.output.write(`${line}\n`)
    if (this.#gone && this.#waiting.size === 0) this.#end()
  }

  /** Answers what has waited too long without a process: none is connected, or it is stopped. */
  #giveUp(): void {
    const now = performance.now()
    if (this.#socket !== undefined && !this.#isStopped(now)) return
    for (const [id, { isCall, since }] of this.#waiting) {
      if (now - since < this.#patience) continue
      this.#waiting.delete(id)
      if (this.#socket !== undefined) this.#refused.add(id)
      this.#ends.output.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...(isCall ? refusedCall : refused) })}\n`)
    }
  }

  /** True if the process is connected and has not said for too long that it is there. */
  #isStopped(now: number): boolean {
    // If this process was stopped itself, it asks anew.
    if (now - this.#looked > ASK) this.#asked = undefined
    this.#looked = now
    if (this.#waiting.size > 0 && this.#asked === undefined && now - this.#heard >= Math.min(ASK, this.#patience / 5)) {
      this.#asked = now
      this.#socket?.write(`${JSON.stringify({ jsonrpc: '2.0', id: THERE, method: 'ping' })}\n`)
    }
    return this.#asked !== undefined && now - this.#asked >= this.#patience
  }

  #leave(): void {
    this.#gone = true
    if (this.#waiting.size === 0 || this.#socket === undefined) this.#end()
    setTimeout(() => this.#end(), LAST_CALLS)
  }
}

/** The id of the question whether the process is there. */
const THERE = 'aiswarm/there'

const refused = { error: { code: -32000, message: NOT_SERVED } }

const refusedCall = {
  result: {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify({ error: { code: 'store_unreachable', message: NOT_SERVED } }) }],
  },
}

/** The name of a call's id among the facts about a message. */
const CALL = 'aiswarm/call'

const withId = ({ params, ...rest }: Message): string =>
  JSON.stringify({
    ...rest,
    params: { ...params, _meta: { ...(params?.['_meta'] as object | undefined), [CALL]: randomUUID() } },
  })

/** The fields of a message by which it is followed; none of other text, which the other end answers. */
const parsed = (line: string): Message => {
  try {
    const value = JSON.parse(line) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}
