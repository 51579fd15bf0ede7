import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DoorwayCall, DoorwayEnd } from '../../contracts/doorway.ts'
import { DOORWAY, SOCKET, socketIn } from '../sandbox/entry.ts'
import { callerHere, connectIn } from './connect.ts'
import { ALONE, NOT_SERVED, WORKER, WORKER_SOCKET } from './entry.ts'
import { readReply, requestLine } from './messages.ts'

// The inner end of the doorway: it sends one operation, and prints what comes before the answer.

interface Patience {
  /** How long an agent that may open the board itself waits for a process that serves it (ms). */
  readonly alone: number
  /** How long any other agent waits for it (ms). */
  readonly longest: number
  /** How often that process is asked whether it is still there (ms): a call may take hours. */
  readonly ask: number
}

export const patient: Patience = { alone: 5000, longest: 50_000, ask: 5000 }

/** Where the doorway of this process is; undefined if it has none. */
export interface Place {
  readonly folder: string
  readonly name: string
  /** True if a process serves it that may end or be stopped before this agent is. */
  readonly mayEnd: boolean
  /** True if this process may act itself while no process serves it. */
  readonly alone: boolean
}

export const placeHere = (environment: NodeJS.ProcessEnv = process.env): Place | undefined => {
  const { [DOORWAY]: door, [WORKER]: worker, [ALONE]: alone } = environment
  if (door) return { folder: door, name: SOCKET, mayEnd: Boolean(worker), alone: false }
  if (!worker || !environment['AISWARM_AGENT_ID']) return undefined
  return { folder: worker, name: WORKER_SOCKET, mayEnd: true, alone: alone === '1' }
}

interface Listener {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly signal?: AbortSignal
}

/** Performs an operation at the other end; undefined if no process serves it and this one may do it itself. */
export const ask = async (
  call: DoorwayCall,
  place: Place,
  listener: Listener,
  patience: Patience = patient,
): Promise<DoorwayEnd | undefined> => {
  if (!place.mayEnd) {
    await socketIn(place.folder, place.name)
    return (await asked(call, place, listener)) ?? lost
  }
  if (!(await isServed(place, place.alone ? patience.alone : patience.longest)))
    return place.alone ? undefined : notServed
  const over = new AbortController()
  const stopped = untilStopped(place, patience, over.signal).then((isStopped) =>
    isStopped ? notServed : new Promise<never>(() => {}),
  )
  const end = await Promise.race([asked(call, place, listener), stopped])
  over.abort()
  return end ?? notServed
}

/** Has the other end started, if it is not, while this process still loads its commands. */
export const wake = (place: Place): void => {
  const socket = opened(place)
    ?.on('error', () => {})
    .unref()
  socket?.once('connect', () => socket.end(requestLine({ ask: 'presence' }, undefined)))
  socket?.resume()
}

const notServed: DoorwayEnd = { refusal: { code: 'store_unreachable', message: NOT_SERVED } }

const lost: DoorwayEnd = {
  refusal: {
    code: 'store_unreachable',
    message: 'aiswarm cannot be reached from this sandbox: the process outside has ended, or its socket is gone.',
  },
}

/** The end of a call; undefined if the connection was lost before it. */
const asked = async (call: DoorwayCall, place: Place, listener: Listener): Promise<DoorwayEnd | undefined> => {
  const socket = opened(place)
  if (socket === undefined) return undefined
  socket.once('connect', () => socket.write(requestLine({ ask: 'operation', call }, callerHere())))
  socket.once('error', () => socket.destroy())
  listener.signal?.addEventListener('abort', () => socket.destroy(), { once: true })
  const end = await readReply(socket, listener)
  return end ?? (listener.signal?.aborted ? { answer: { code: 0 } } : undefined)
}

const opened = ({ folder, name }: Place): Socket | undefined => {
  try {
    return connectIn(folder, name)
  } catch {
    return undefined
  }
}

/** Resolves when the process does not answer for too long; false if that does not matter any more. */
const untilStopped = async (place: Place, { longest, ask }: Patience, over: AbortSignal): Promise<boolean> => {
  while (!over.aborted) {
    await sleep(ask, undefined, { ref: false })
    // If it has ended, so has the connection of the call.
    if (!over.aborted && (await isThere(place, longest)) === 'silent') return true
  }
  return false
}

/** Whether a process answers connections, within so long (ms). A stopped one accepts them only. */
export const isServed = async (place: Place, patience: number): Promise<boolean> => {
  for (const end = performance.now() + patience; ; await sleep(100)) {
    if ((await isThere(place, Math.max(ANSWER, end - performance.now()))) === 'there') return true
    if (performance.now() >= end) return false
  }
}

/** The least time that a process has to answer (ms). */
const ANSWER = 1000

const isThere = (place: Place, patience: number): Promise<'there' | 'silent' | 'absent'> =>
  new Promise((resolve) => {
    const socket = opened(place)
    if (socket === undefined) return resolve('absent')
    const end = (found: 'there' | 'silent' | 'absent'): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(found)
    }
    const timer = setTimeout(() => end('silent'), patience).unref()
    socket.once('connect', () => socket.write(requestLine({ ask: 'presence' }, undefined)))
    socket.once('data', () => end('there'))
    for (const event of ['error', 'close'] as const) socket.once(event, () => end('absent'))
  })

/**
 * Pipes the MCP server of this agent until its client disconnects; false if no process serves it and this one may serve
 * itself.
 */
export const askForTools = async (
  place: Place,
  output: NodeJS.WritableStream,
  patience: Patience = patient,
): Promise<boolean> => {
  if (place.alone && !(await isServed(place, patience.alone))) return false
  if (!place.mayEnd) await socketIn(place.folder, place.name)
  const { pipe } = await import('./pipe.ts')
  await pipe({
    connect: () => connectIn(place.folder, place.name),
    input: process.stdin,
    output,
    request: requestLine({ ask: 'tools' }, callerHere()),
  })
  return true
}
