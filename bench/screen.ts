import { spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'

/** A program on its own terminal, timed from outside. */
export interface Screen {
  readonly pid: number
  /** Milliseconds from the start of the program, or from another moment, to the first matching frame. */
  until(shows: (text: string) => boolean, from?: number): Promise<number>
  /** Milliseconds from this write to the output with which the screen matches. */
  press(keys: string, shows: (text: string) => boolean): Promise<number>
  /** Milliseconds from the write of these keys to the first byte of the answer. */
  answer(keys: string): Promise<number>
  /** The number of bytes written by the program so far. */
  bytes(): number
  text(): string
  end(): Promise<void>
}

/** The maximum wait (ms). */
const LIMIT = 20_000

export const openScreen = (
  argv: readonly string[],
  { columns, rows, cwd }: { columns: number; rows: number; cwd: string },
): Screen => {
  const { CI: _, ...environment } = process.env
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const began = performance.now()
  const program = spawn(argv[0]!, [...argv.slice(1)], {
    cols: columns,
    rows,
    cwd,
    env: { ...environment, TERM: 'xterm-256color' },
  })
  // A terminal answers questions, for example about its kind.
  terminal.onData((answer) => program.write(answer))
  const listeners = new Set<(at: number) => void>()
  let bytes = 0
  program.onData((data) => {
    const at = performance.now()
    bytes += Buffer.byteLength(data)
    terminal.write(data, () => listeners.forEach((listener) => listener(at)))
  })
  const ended = new Promise<void>((resolve) => program.onExit(() => resolve()))
  const text = (): string =>
    Array.from(
      { length: rows },
      (_, y) => terminal.buffer.active.getLine(terminal.buffer.active.viewportY + y)?.translateToString(true) ?? '',
    ).join('\n')
  const next = (satisfied: () => boolean, from: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const fail = (what: string): void => reject(new Error(`${what}:\n${text()}`))
      const timer = setTimeout(() => fail('The screen never showed what was waited for'), LIMIT)
      void ended.then(() => fail('The program ended'))
      const listener = (at: number): void => {
        if (!satisfied()) return
        clearTimeout(timer)
        listeners.delete(listener)
        resolve(at - from)
      }
      listeners.add(listener)
      listener(performance.now())
    })
  return {
    pid: program.pid,
    until: (shows, from = began) => next(() => shows(text()), from),
    press: (keys, shows) => {
      const from = performance.now()
      const shown = next(() => shows(text()), from)
      program.write(keys)
      return shown
    },
    answer: (keys) => {
      const from = performance.now()
      const before = bytes
      const shown = next(() => bytes > before, from)
      program.write(keys)
      return shown
    },
    bytes: () => bytes,
    text,
    end: async () => {
      program.write('q')
      const timer = setTimeout(() => program.kill('SIGKILL'), 5000)
      await ended
      clearTimeout(timer)
    },
  }
}
