import type { Readable, Writable } from 'node:stream'
import { isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import { problem } from '../protocol/message.ts'
import { StdioTransport } from './stdio.ts'

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
