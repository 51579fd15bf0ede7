import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { until } from '../effects/swarm.ts'
import { program } from './client.ts'

export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

/** `aiswarm mcp` as a process whose bytes the test writes and reads itself; `below` starts it in a process group of its own. */
export const startRaw = (
  root: string,
  environment: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  below: readonly string[] = [],
) => {
  const words = [...below, process.execPath, program, 'mcp', '--root', root, ...args]
  const cache = process.env['NODE_COMPILE_CACHE']
  const child: ChildProcess = spawn(words[0]!, words.slice(1), {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }),
      ...environment,
    },
    detached: below.length > 0,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  let err = ''
  child.stdout!.setEncoding('utf8').on('data', (piece: string) => (out += piece))
  child.stderr!.setEncoding('utf8').on('data', (piece: string) => (err += piece))
  // A server that refuses and ends closes its end while the test still writes.
  child.stdin!.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const messages = (): readonly Message[] =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Message)
  let ids = 0
  const write = (text: string | Buffer): void => void child.stdin!.write(text)
  const send = (message: object): void => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const answerTo = (id: string | number | null): Promise<Message> =>
    until(`the answer to ${id}`, () => messages().find((message) => message.id === id && message.method === undefined))
  const ask = (method: string, params: object = {}): Promise<Message> => {
    const id = ++ids
    send({ id, method, params })
    return answerTo(id)
  }
  const initialise = async (): Promise<Message> => {
    const answer = await ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    })
    send({ method: 'notifications/initialized' })
    return answer
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }))
  return { child, write, send, ask, answerTo, initialise, messages, ended, out: () => out, err: () => err }
}
