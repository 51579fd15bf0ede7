import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import pty from '@lydell/node-pty'
import xterm, { type Terminal } from '@xterm/headless'

const main = resolve(import.meta.dirname, '../../dist/main.js')

/** Milliseconds until a screen that never shows what is waited for is an error. */
const LIMIT = 120_000

/** Milliseconds without output after which a screen counts as complete. */
const QUIET = 250

export interface Program {
  readonly terminal: Terminal
  press(keys: string): void
  resize(columns: number, rows: number): Promise<void>
  /** Waits until the screen shows the text. */
  until(text: string | RegExp): Promise<void>
  /** Waits until the program has drawn all that the last key caused, which is when it writes nothing for a while. */
  settled(): Promise<void>
  /** Ends the program and removes what it created in its temporary folder. */
  end(): Promise<void>
}

/** Starts the built program in a terminal of this size; its HOME and its temporary files are in a folder that `end` removes. */
export const startProgram = (args: readonly string[], columns: number, rows: number): Program => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aiswarm-screens-')))
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const child = pty.spawn(process.execPath, [main, ...args], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: folder,
    env: environmentIn(folder),
  })
  const watchers = new Set<() => void>()
  let exited = false
  child.onData((piece) => terminal.write(piece, () => watchers.forEach((watcher) => watcher())))
  child.onExit(() => {
    exited = true
    watchers.forEach((watcher) => watcher())
  })
  terminal.onData((answer) => child.write(answer))
  const waitFor = (what: string, holds: () => boolean): Promise<void> =>
    new Promise((done, fail) => {
      const end = (error?: Error): void => {
        clearTimeout(timer)
        watchers.delete(watcher)
        if (error) fail(error)
        else done()
      }
      const watcher = (): void => {
        if (terminal.modes.synchronizedOutputMode && !exited) return
        if (holds()) end()
        else if (exited) end(new Error(`The program ended before it showed ${what}:\n${textOf(terminal)}`))
      }
      const timer = setTimeout(() => end(new Error(`The screen never showed ${what}:\n${textOf(terminal)}`)), LIMIT)
      watchers.add(watcher)
      watcher()
    })
  const settled = (): Promise<void> =>
    new Promise((done) => {
      const end = (): void => {
        // Half a frame: the rest is still to come.
        if (terminal.modes.synchronizedOutputMode && !exited) return again()
        watchers.delete(again)
        done()
      }
      let timer = setTimeout(end, QUIET)
      const again = (): void => {
        clearTimeout(timer)
        timer = setTimeout(end, QUIET)
      }
      watchers.add(again)
    })
  return {
    terminal,
    press: (keys) => child.write(keys),
    resize: (width, height) => {
      terminal.resize(width, height)
      child.resize(width, height)
      return settled()
    },
    until: (text) =>
      waitFor(String(text), () =>
        typeof text === 'string' ? textOf(terminal).includes(text) : text.test(textOf(terminal)),
      ),
    settled,
    end: async () => {
      if (!exited) child.kill('SIGTERM')
      await waitFor('its end', () => exited)
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
}

/** The text of the visible screen, a line per row. */
export const textOf = ({ buffer: { active }, rows, cols }: Terminal): string =>
  Array.from(
    { length: rows },
    (_, row) => active.getLine(active.viewportY + row)?.translateToString(true, 0, cols) ?? '',
  ).join('\n')

/** A shell's environment without the configuration of this machine. */
const environmentIn = (folder: string): Record<string, string> => ({
  PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
  HOME: folder,
  TMPDIR: folder,
  TERM: 'xterm-256color',
  COLORTERM: 'truecolor',
  LANG: 'C.UTF-8',
  SHELL: '/bin/sh',
  GIT_CONFIG_NOSYSTEM: '1',
})
