import type { Readable, Writable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { ENDS, idNear, LONGEST_MESSAGE, problem, readMessage } from '../protocol/messages.ts'

/**
 * The stdio transport of the MCP specification: one message per line. Unlike the SDK's it answers invalid messages
 * instead of dropping them, and skips an oversized line without storing it.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void

  readonly #input: Readable
  readonly #output: Writable
  #pieces: Buffer[] = []
  #length = 0
  /** The beginning and the end of an oversized line, one of which contains its id. */
  #start = ''
  #end = Buffer.alloc(0)
  #closed = false

  constructor(input: Readable, output: Writable) {
    this.#input = input
    this.#output = output
  }

  start(): Promise<void> {
    // A socket whose first line was read is paused.
    this.#input.on('data', this.#take).resume()
    this.#input.once('end', () => void this.close())
    this.#input.once('close', () => void this.close())
    this.#input.on('error', (error) => this.onerror?.(error))
    return Promise.resolve()
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#write(message)
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve()
    this.#closed = true
    this.#input.off('data', this.#take)
    this.#input.pause()
    this.onclose?.()
    return Promise.resolve()
  }

  /** Waits for a client that reads slowly, but not for one that has disconnected. */
  #write(value: object): Promise<void> {
    return new Promise((resolve) => {
      if (this.#output.writableEnded || this.#output.destroyed) return resolve()
      this.#output.write(`${JSON.stringify(value)}\n`, () => resolve())
    })
  }

  #take = (chunk: Buffer): void => {
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, end))
      this.#line()
      from = end + 1
    }
    this.#keep(chunk.subarray(from))
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return
    const known = this.#length <= LONGEST_MESSAGE
    this.#length += piece.length
    if (known) this.#pieces.push(piece)
    if (this.#length <= LONGEST_MESSAGE) return
    const whole = Buffer.concat(known ? this.#pieces : [this.#end, piece])
    if (known) this.#start = whole.toString('utf8', 0, ENDS)
    // Copied, so that the large buffers can be freed.
    this.#end = Buffer.from(whole.subarray(-ENDS))
    this.#pieces = []
  }

  #line(): void {
    const [length, text] = [this.#length, Buffer.concat(this.#pieces).toString('utf8').trim()]
    this.#length = 0
    this.#pieces = []
    if (length > LONGEST_MESSAGE)
      return void this.#write(
        problem(
          -32600,
          `A message may have at most ${LONGEST_MESSAGE} bytes; this one had ${length}.`,
          idNear(this.#start, this.#end.toString('utf8')),
        ),
      )
    if (text === '') return
    const read = readMessage(text)
    if ('message' in read) this.onmessage?.(read.message)
    else void this.#write(read.problem)
  }
}

/**
 * Tells a client on standard input and output why it is not served: an IDE shows the error of `initialize`, but no
 * output that a server prints before it exits. Runs until `initialize` was answered, the client disconnects or the
 * signal aborts.
 */
export const refuseStdio = async (
  sentence: string,
  {
    input = process.stdin,
    output,
    signal,
  }: { readonly input?: Readable; readonly output: Writable; readonly signal: AbortSignal },
): Promise<void> => {
  const transport = new StdioTransport(input, output)
  await new Promise<void>((resolve) => {
    transport.onclose = resolve
    signal.addEventListener('abort', () => void transport.close(), { once: true })
    transport.onmessage = (message) => {
      if (!isJSONRPCRequest(message)) return
      const refusal = problem(-32000, sentence) as Parameters<StdioTransport['send']>[0]
      void transport
        .send({ ...refusal, id: message.id })
        .then(() => (message.method === 'initialize' ? transport.close() : undefined))
    }
    void transport.start()
    if (signal.aborted) void transport.close()
  })
}
