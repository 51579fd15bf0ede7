import { connect, type Socket } from 'node:net'
import { carried, DOORWAY, ERR, EXIT, OUT, SOCKET, socketIn } from './entry.ts'

/**
 * Runs a command of aiswarm outside of the sandbox that this process is in, with this process's input and this output.
 * Returns its exit code; 1 if no process serves it.
 */
export const throughDoorway = async (args: readonly string[], output: NodeJS.WritableStream): Promise<number> => {
  const folder = process.env[DOORWAY]!
  await socketIn(folder, SOCKET)
  return throughSocket(args, output, { folder, name: SOCKET, from: 'this sandbox' })
}

interface Place {
  readonly folder: string
  readonly name: string
  /** Names this side in the sentence that the socket cannot be reached. */
  readonly from: string
}

/** Opens a socket. Its path has at most 107 bytes, so this process goes to the folder for a moment; throws if there is none. */
export const connectIn = (folder: string, name: string): Socket => {
  const cwd = process.cwd()
  process.chdir(folder)
  try {
    return connect({ path: name, allowHalfOpen: true })
  } finally {
    process.chdir(cwd)
  }
}

/** The first line of a connection: a command and its caller. */
export const requestLine = (args: readonly string[]): string => {
  const environment = Object.fromEntries(
    carried.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
  return `${JSON.stringify({ args, cwd: process.cwd(), environment })}\n`
}

/** Runs a command at the other end of a socket, with this process's input. Returns its exit code; 1 if none came. */
export const throughSocket = (
  args: readonly string[],
  output: NodeJS.WritableStream,
  { folder, name, from }: Place,
): Promise<number> =>
  new Promise((resolve) => {
    let code: number | undefined
    let rest = Buffer.alloc(0)
    const closed = (why = 'it was closed'): void => {
      if (code === undefined) process.stderr.write(`aiswarm cannot be reached from ${from}: ${why}.\n`)
      resolve(code ?? 1)
    }
    let socket: Socket
    try {
      socket = connectIn(folder, name)
    } catch {
      return closed('its folder is missing')
    }
    socket.once('connect', () => {
      socket.write(requestLine(args))
      process.stdin.pipe(socket)
    })
    // Only a socket that could not be opened at all is worth a sentence.
    socket.once('error', ({ message }) => closed(message))
    process.stdin.once('error', () => socket.end())
    socket.on('data', (piece: Buffer) => {
      rest = Buffer.concat([rest, piece])
      while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
        const end = 5 + rest.readUInt32BE(1)
        const bytes = rest.subarray(5, end)
        if (rest[0] === EXIT) code = bytes[0]!
        else if (rest[0] === OUT || rest[0] === ERR) (rest[0] === OUT ? output : process.stderr).write(bytes)
        rest = rest.subarray(end)
      }
      if (code !== undefined) socket.destroy()
    })
    socket.once('close', () => closed())
  })
