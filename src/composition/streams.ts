import type { Streams } from '../cli/call/streams.ts'
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
    return (await import('../memory/decode.ts')).utf8(Buffer.concat(chunks), 'standard input')
  },
  ask: async (question, above, isSecret = false) => {
    const { createInterface } = await import('node:readline/promises')
    const { terminalOutput } = await import('../effects/processes/terminal-output.ts')
    const output = terminalOutput()
    // A question begins its line anew, and would overwrite what stands there.
    if (above !== '') output.write(above.endsWith('\n') ? above : `${above}\n`)
    const shown = isSecret ? new (await import('node:stream')).Writable({ write: (_, __, done) => done() }) : output
    const terminal = createInterface({ input: process.stdin, output: shown, terminal: isSecret || undefined })
    if (isSecret) output.write(question)
    try {
      return await terminal.question(question, { signal: interrupt.signal })
    } finally {
      if (isSecret) output.write('\n')
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
