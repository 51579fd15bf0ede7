import { setTimeout as sleep } from 'node:timers/promises'
import { connectIn, requestLine, throughSocket } from '../sandbox/doorway.ts'
import { ALONE, isCarriedOut, isServer, NOT_SERVED, SOCKET, WORKER } from './entry.ts'

interface Patience {
  /** How long an agent that may open the board itself waits for a process that serves it (ms). */
  readonly alone: number
  /** How long a command of any other agent waits for it (ms). */
  readonly longest: number
  /** How often that process is asked whether it is still there (ms): a command may take hours. */
  readonly ask: number
}

const patient: Patience = { alone: 5000, longest: 50_000, ask: 5000 }

/**
 * Carries out a command of an agent at the process that runs the agents of its host. Returns its exit code, or undefined if
 * this process must do it itself.
 */
export const throughWorker = async (
  args: readonly string[],
  output: NodeJS.WritableStream,
  { alone, longest, ask }: Patience = patient,
): Promise<number | undefined> => {
  const folder = process.env[WORKER]!
  const root = process.env['AISWARM_ROOT'] ?? ''
  if (!process.env['AISWARM_AGENT_ID'] || !isCarriedOut(args, root)) return undefined
  const mayOpen = process.env[ALONE] === '1'
  const asServer = isServer(args, root)
  const served = await isServed(folder, mayOpen ? alone : asServer ? 0 : longest)
  if (!served && mayOpen) return undefined
  if (!asServer) return served ? carryOut(args, output, folder, { longest, ask }) : refuse(args)
  const { pipe } = await import('./pipe.ts')
  await pipe({
    connect: () => connectIn(folder, SOCKET),
    input: process.stdin,
    output,
    request: requestLine(args),
  })
  return 0
}

/** Ends without an answer if the process that carries it out has not said for too long that it is there. */
const carryOut = async (
  args: readonly string[],
  output: NodeJS.WritableStream,
  folder: string,
  { longest, ask }: Pick<Patience, 'longest' | 'ask'>,
): Promise<number> => {
  const over = new AbortController()
  const stopped = untilStopped(folder, { longest, ask }, over.signal).then((isStopped) =>
    isStopped ? refuse(args) : new Promise<never>(() => {}),
  )
  const code = await Promise.race([throughSocket(args, output, { folder, name: SOCKET, from: 'this agent' }), stopped])
  over.abort()
  return code
}

/** Resolves when the process does not answer for too long; false if that does not matter any more. */
const untilStopped = async (
  folder: string,
  { longest, ask }: Pick<Patience, 'longest' | 'ask'>,
  over: AbortSignal,
): Promise<boolean> => {
  while (!over.aborted) {
    await sleep(ask, undefined, { ref: false })
    // If it has ended, so has the connection of the command.
    if (!over.aborted && (await isThere(folder, longest)) === 'silent') return true
  }
  return false
}

const refuse = (args: readonly string[]): number => {
  const error = { code: 'store_unreachable', message: NOT_SERVED }
  process.stderr.write(args.includes('--json') ? `${JSON.stringify({ error })}\n` : `✗ ${NOT_SERVED}\n`)
  return 1
}

/** Whether a process answers connections, within so long (ms). A stopped one accepts them only. */
const isServed = async (folder: string, patience: number): Promise<boolean> => {
  for (const end = performance.now() + patience; ; await sleep(100)) {
    if ((await isThere(folder, Math.max(ANSWER, end - performance.now()))) === 'there') return true
    if (performance.now() >= end) return false
  }
}

/** The least time that a process has to answer (ms). */
const ANSWER = 1000

/** A request without a caller is refused at once. */
const NOBODY = `${JSON.stringify({ args: [], cwd: '/', environment: {} })}\n`

const isThere = (folder: string, patience: number): Promise<'there' | 'silent' | 'absent'> =>
  new Promise((resolve) => {
    try {
      const socket = connectIn(folder, SOCKET)
      const end = (found: 'there' | 'silent' | 'absent'): void => {
        clearTimeout(timer)
        socket.destroy()
        resolve(found)
      }
      const timer = setTimeout(() => end('silent'), patience).unref()
      socket.once('connect', () => socket.write(NOBODY))
      socket.once('data', () => end('there'))
      for (const event of ['error', 'close'] as const) socket.once(event, () => end('absent'))
    } catch {
      resolve('absent')
    }
  })
