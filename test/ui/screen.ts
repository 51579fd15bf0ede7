import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import xterm from '@xterm/headless'
import type { ConsoleOptions } from '../../src/ui/core/controller.ts'
import { runConsole } from '../../src/ui/console.tsx'
import type { Fixture } from './fixture.ts'

/** The console on a terminal in memory: the text and keys of a person. */
export interface Screen {
  press(...keys: readonly string[]): Promise<void>
  /** The lines of the screen. */
  text(): string
  /** Waits until the screen shows it. */
  shows(words: string | RegExp): Promise<void>
  lacks(words: string | RegExp): Promise<void>
  resize(columns: number, rows: number): void
  /** The terminal reports another size, and has its old one. */
  says(columns: number, rows: number): void
  /** Everything that was written, with its escape sequences. */
  readonly written: string[]
  /** Resolves when the console has quit. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export const openScreen = (
  fixture: Fixture,
  {
    columns = 120,
    rows = 30,
    environment = {},
    pace = 30,
    ...options
  }: Partial<ConsoleOptions> & { columns?: number; rows?: number; environment?: NodeJS.ProcessEnv; pace?: number } = {},
): Screen => {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true })
  const written: string[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  })
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns, rows })
  stdout.on('data', (bytes: Buffer) => {
    written.push(bytes.toString())
    terminal.write(bytes)
  })
  const ended = runConsole(
    {
      connection: fixture.connection,
      repository: { name: 'shop', branch: 'main' },
      watch: watching(fixture),
      supervisor: () => ({ here: true, pid: null }),
      openShell: async () => {},
      openEditor: async () => {},
      ...options,
    },
    { stdin: stdin as unknown as NodeJS.ReadStream, stdout: stdout as unknown as NodeJS.WriteStream, environment },
  )
  const text = (): string =>
    Array.from(
      { length: terminal.rows },
      (_, row) =>
        terminal.buffer.active
          .getLine(terminal.buffer.active.viewportY + row)
          ?.translateToString(true, 0, terminal.cols) ?? '',
    ).join('\n')
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    const deadline = Date.now() + 60_000
    // The program marks where a frame starts and ends: half a frame is not checked.
    while (terminal.modes.synchronizedOutputMode || !holds()) {
      if (Date.now() > deadline) throw new Error(`The screen never ${what}:\n${text()}`)
      await pause(10)
    }
  }
  const screen: Screen = {
    press: async (...keys) => {
      for (const key of keys) {
        stdin.write(key)
        await pause(pace)
      }
    },
    text,
    shows: (words) => until(`showed ${words}`, () => matches(text(), words)),
    lacks: (words) => until(`lost ${words}`, () => !matches(text(), words)),
    resize: (width, height) => {
      terminal.resize(width, height)
      screen.says(width, height)
    },
    says: (width, height) => {
      Object.assign(stdout, { columns: width, rows: height })
      stdout.emit('resize')
    },
    written,
    ended,
    close: async () => {
      stdin.write('\u0003')
      await ended
      terminal.dispose()
    },
  }
  return screen
}

const matches = (text: string, words: string | RegExp): boolean =>
  typeof words === 'string' ? text.includes(words) : words.test(text)

const watching =
  ({ core }: Fixture) =>
  (changed: () => void) => {
    let seen = core.store.version()
    const timer = setInterval(() => {
      const now = core.store.version()
      if (now !== seen) changed()
      seen = now
    }, 20)
    return () => clearInterval(timer)
  }
