import type { Socket } from 'node:net'
import { z } from 'zod'
import type { Caller } from '../../contracts/doorway.ts'
import { isDeeperThan, placeOfNul } from '../../domain/words/json-limits.ts'
import { once } from '../../domain/words/once.ts'
import type { Doorway } from '../world.ts'
import { LONGEST_REQUEST, replyTo, VERSION } from './messages.ts'

// The outer end of the doorway: it reads one request of a connection within limits, and has it carried out. What a
// caller sends is data; a request that is none ends with one sentence, and never this process.

/** A request as it was read, with the bytes of the stream that came with it. */
export interface Read {
  readonly request: Request
  readonly rest: Buffer
}

export type Request = z.output<ReturnType<typeof requestForm>>

const requestForm = once(() => {
  const caller = z.strictObject({ agentId: z.string().max(50), token: z.string().max(200) }).optional()
  const version = z.literal(VERSION)
  return z.discriminatedUnion('ask', [
    z.strictObject({ aiswarm: version, caller, ask: z.literal('presence') }),
    z.strictObject({ aiswarm: version, caller, ask: z.literal('tools') }),
    z.strictObject({
      aiswarm: version,
      caller,
      ask: z.literal('operation'),
      call: z.strictObject({
        operation: z.string().max(100),
        input: z.record(z.string(), z.unknown()),
        shown: z.strictObject({
          json: z.boolean(),
          terminal: z.boolean(),
          clears: z.boolean(),
          columns: z.int().min(1).max(10_000).nullable(),
        }),
      }),
    }),
  ])
})

/**
 * Serves one connection to its end. `callerOf` completes the caller by what is known of the connection; undefined
 * without one.
 */
export const serveConnection = async (
  socket: Socket,
  doorway: Doorway,
  callerOf: (named: Caller | undefined) => Caller | undefined,
): Promise<void> => {
  socket.on('error', () => socket.destroy())
  const read = await readRequest(socket)
  if (read === undefined) return
  const { request, rest } = read
  const caller = callerOf(request.caller)
  if (request.ask === 'presence') return sayPresent(socket)
  if (caller === undefined || caller.agentId === '') return refuse(socket, 'not_allowed', ONLY_AGENTS)
  if (request.ask === 'tools') {
    if (rest.length > 0) socket.unshift(rest)
    await doorway.tools(caller, socket)
    return void socket.end()
  }
  const gone = new AbortController()
  socket.once('close', () => gone.abort())
  // Nothing more is read from the caller, but its end is noticed.
  socket.resume()
  const { out, err, end } = replyTo(socket)
  end(await doorway.perform(caller, request.call, { out, err, signal: gone.signal }))
}

const sayPresent = (socket: Socket): void => {
  replyTo(socket).out(' ')
  socket.end()
}

const ONLY_AGENTS = 'This socket serves only agents, which name themselves by AISWARM_AGENT_ID and AISWARM_AGENT_TOKEN.'

/** How long a caller may take for its request (ms). */
const PATIENCE = 10_000

/** The request of a connection; undefined if there is none: then the connection is refused, or gone. */
export const readRequest = (socket: Socket): Promise<Read | undefined> =>
  new Promise((resolve) => {
    const pieces: Buffer[] = []
    let length = 0
    const done = (read: Read | undefined): void => {
      clearTimeout(timer)
      socket.off('data', hear)
      resolve(read)
    }
    const timer = setTimeout(() => socket.destroy(), PATIENCE).unref()
    const hear = (piece: Buffer): void => {
      const end = piece.indexOf(10)
      pieces.push(end === -1 ? piece : piece.subarray(0, end))
      length += pieces.at(-1)!.length
      if (length > LONGEST_REQUEST) {
        done(undefined)
        return refuse(socket, 'invalid_input', 'A request has at most 8 MB; this one is longer. Send less at once.')
      }
      if (end === -1) return
      socket.pause()
      const found = parsed(Buffer.concat(pieces).toString('utf8'))
      if (typeof found === 'string') refuse(socket, 'invalid_input', found)
      done(typeof found === 'string' ? undefined : { request: found, rest: piece.subarray(end + 1) })
    }
    socket.on('data', hear)
    socket.once('close', () => done(undefined))
  })

/** The deepest nesting of a request: deeper JSON would be walked by recursion. */
const DEEPEST = 64

/** A request, or why it is none. */
const parsed = (text: string): Request | string => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'The request is not JSON.'
  }
  if (isDeeperThan(DEEPEST, text)) return `The request is nested deeper than ${DEEPEST} levels. Use fewer levels.`
  if (placeOfNul(value) !== undefined) return 'The request has a NUL character, which a text cannot have. Remove it.'
  const result = requestForm().safeParse(value)
  if (result.success) return result.data
  const version = typeof value === 'object' && value !== null && 'aiswarm' in value ? value.aiswarm : undefined
  return typeof version === 'number' && version !== VERSION
    ? `The request has version ${version}, and this aiswarm reads version ${VERSION}. Start the agent again.`
    : `The request has another form than version ${VERSION} at ${result.error.issues[0]!.path.join('.') || 'its beginning'}.`
}

/** Answers with a refusal, and takes no notice of what else is sent. */
const refuse = (socket: Socket, code: string, message: string): void => {
  replyTo(socket).end({ refusal: { code, message } })
  socket.resume()
  setTimeout(() => socket.destroy(), PATIENCE).unref()
}

/** Answers a connection beyond those that are served at once. */
export const refuseMore = (socket: Socket): void =>
  refuse(socket, 'rate_limited', 'Too many calls at the same time. Wait until some have ended, then call again.')
