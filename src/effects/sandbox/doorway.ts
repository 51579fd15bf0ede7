import { connect } from 'node:net'
import { carried, DOORWAY, ERR, EXIT, OUT, SOCKET, socketIn } from './entry.ts'

/**
 * Runs a command of aiswarm outside of the sandbox that this process is in, with this process's input and this output.
 * Returns its exit code; 1 if no process serves it.
 */
export const throughDoorway = async (args: readonly string[], output: NodeJS.WritableStream): Promise<number> => {
  await socketIn(process.env[DOORWAY]!, SOCKET)
  return new Promise((resolve) => {
    const cwd = process.cwd()
    const environment = Object.fromEntries(
      carried.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    )
    let code: number | undefined
    let rest = Buffer.alloc(0)
    const closed = (why = 'it was closed'): void => {
      if (code === undefined) process.stderr.write(`aiswarm cannot be reached from this sandbox: ${why}.\n`)
      resolve(code ?? 1)
    }
    try {
      process.chdir(process.env[DOORWAY]!)
    } catch {
      return closed('its folder is missing')
    }
    const socket = connect({ path: SOCKET, allowHalfOpen: true })
    process.chdir(cwd)
    socket.once('connect', () => {
      socket.write(`${JSON.stringify({ args, cwd, environment })}\n`)
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
}
