import type { Streams } from '../cli/call/services.ts'
import { reserveStdout } from '../mcp/protocol/stdout.ts'

/** An MCP client reads standard output as protocol, so only protocol messages may be written to it. */
export const stdout = process.argv.includes('mcp') ? reserveStdout() : process.stdout

/** Aborted by the signals that end the program. */
export const interrupt = new AbortController()

export const streams: Streams = {
  out: (text) => void stdout.write(text),
  err: (text) => void process.stderr.write(text),
  stdinIsTerminal: process.stdin.isTTY === true,
  stdoutIsTerminal: process.stdout.isTTY === true,
  columns: () => process.stdout.columns,
  readInput: async () => {
    const chunks: Buffer[] = []
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
    return (await import('../memory/session-files/decode.ts')).utf8(Buffer.concat(chunks), 'standard input')
  },
  ask: async (question, above) => {
    const { createInterface } = await import('node:readline/promises')
    const { terminalOutput } = await import('../effects/processes/terminal-output.ts')
    const output = terminalOutput()
    output.write(above)
    const terminal = createInterface({ input: process.stdin, output })
    try {
      return await terminal.question(question, { signal: interrupt.signal })
    } finally {
      terminal.close()
      if (output !== process.stderr) output.destroy()
    }
  },
  signal: interrupt.signal,
}

/**
 * Resolves when a pipe has accepted the output, which exiting earlier would truncate. A closed reader is not an error.
 */
export const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => void stream.write('', () => resolve()))
