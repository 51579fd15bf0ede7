import type { Socket } from 'node:net'
import type { Caller } from '../../contracts/doorway.ts'
import { isServed, patient } from './ask.ts'
import { connectIn } from './connect.ts'
import { ALONE, WORKER, WORKER_SOCKET } from './entry.ts'
import { readRequest } from './serve.ts'

/**
 * Passes a connection on to the process that serves the agents of this host, which has the board. False if there is no
 * such process, and this one may open the board itself.
 */
export const relayed = async (
  socket: Socket,
  callerOf: (named: Caller | undefined) => Caller | undefined,
): Promise<boolean> => {
  const { [WORKER]: folder, [ALONE]: alone } = process.env
  if (!folder) return false
  const place = { folder, name: WORKER_SOCKET, mayEnd: true, alone: alone === '1' }
  if (place.alone && !(await isServed(place, patient.alone))) return false
  const read = await readRequest(socket)
  if (read === undefined) return true
  try {
    const worker = connectIn(folder, WORKER_SOCKET)
    worker.write(`${JSON.stringify({ ...read.request, caller: callerOf(read.request.caller) })}\n`)
    worker.write(read.rest)
    socket.pipe(worker)
    worker.pipe(socket)
    for (const [one, other] of [
      [socket, worker],
      [worker, socket],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  } catch {
    // Its caller connects again, until it has waited long enough.
    socket.destroy()
  }
  return true
}
