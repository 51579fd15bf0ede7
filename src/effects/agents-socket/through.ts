import { setTimeout as sleep } from 'node:timers/promises'
import { connectIn, requestLine, throughSocket } from '../sandbox/doorway.ts'
import { ALONE, isCarriedOut, isServer, SOCKET, WORKER } from './entry.ts'

/** How long an agent that may open the board itself waits for a process that serves it (ms). */
const PATIENCE = 5000

/** How long a command of any other agent waits for it (ms). */
const LONGEST = 50_000

/**
 * Carries out a command of an agent at the process that runs the agents of its host. Returns its exit code, or undefined if
 * this process must do it itself.
 */
export const throughWorker = async (
  args: readonly string[],
  output: NodeJS.WritableStream,
): Promise<number | undefined> => {
  const folder = process.env[WORKER]!
  const root = process.env['AISWARM_ROOT'] ?? ''
  if (!process.env['AISWARM_AGENT_ID'] || !isCarriedOut(args, root)) return undefined
  const mayOpen = process.env[ALONE] === '1'
  const asServer = isServer(args, root)
  if (!(await isServed(folder, mayOpen ? PATIENCE : asServer ? 0 : LONGEST)) && mayOpen) return undefined
  if (!asServer) return throughSocket(args, output, { folder, name: SOCKET, from: 'this agent' })
  const { pipe } = await import('./pipe.ts')
  await pipe({
    connect: () => connectIn(folder, SOCKET),
    input: process.stdin,
    output,
    request: requestLine(args),
  })
  return 0
}

/** Whether a process accepts connections, within so long (ms). */
const isServed = async (folder: string, patience: number): Promise<boolean> => {
  for (const end = performance.now() + patience; ; await sleep(100)) {
    if (await accepts(folder)) return true
    if (performance.now() >= end) return false
  }
}

const accepts = (folder: string): Promise<boolean> =>
  new Promise((resolve) => {
    try {
      const socket = connectIn(folder, SOCKET)
      socket.once('connect', () => (socket.destroy(), resolve(true)))
      socket.once('error', () => resolve(false))
    } catch {
      resolve(false)
    }
  })
