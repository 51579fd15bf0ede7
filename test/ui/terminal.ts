import { PassThrough, Writable } from 'node:stream'
import xterm from '@xterm/headless'

/** A terminal in memory that may read slowly, with a keyboard. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  /** Stops or resumes reading the output. */
  reads(on: boolean): void
  press(keys: string): void
  resize(columns: number, rows: number): void
  /** Output that the console has not written. */
  scribble(bytes: string): void
  /** The content of each line, with its text and its look. */
  lines(): Promise<{ readonly text: string; readonly look: string }[]>
  dispose(): void
}

export const openTerminal = ({ columns, rows }: { readonly columns: number; readonly rows: number }): Terminal => {
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true })
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  })
  let held: (() => void)[] | undefined
  const read = (bytes: Buffer, done: () => void): void => {
    screen.write(bytes)
    done()
  }
  const out = new Writable({
    write: (bytes: Buffer, _, done) => void (held ? held.push(() => read(bytes, done)) : read(bytes, done)),
  })
  const stdout = Object.assign(out, { isTTY: true, columns, rows })
  return {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    reads: (on) => {
      const waiting = held ?? []
      held = on ? undefined : waiting
      if (on) waiting.forEach((go) => go())
    },
    press: (keys) => void stdin.write(keys),
    resize: (width, height) => {
      screen.resize(width, height)
      Object.assign(stdout, { columns: width, rows: height })
      stdout.emit('resize')
    },
    scribble: (bytes) => screen.write(bytes),
    lines: async () => {
      await new Promise<void>((done) => screen.write('', done))
      const { active } = screen.buffer
      const cell = active.getNullCell()
      return Array.from({ length: screen.rows }, (_, row) => {
        const line = active.getLine(active.baseY + row)!
        const looks = Array.from({ length: screen.cols }, (__, column) => {
          line.getCell(column, cell)
          return [
            cell.getChars(),
            cell.getFgColor(),
            cell.getBgColor(),
            cell.isBold(),
            cell.isDim(),
            cell.isInverse(),
          ].join()
        })
        return { text: line.translateToString(false, 0, screen.cols), look: looks.join(' ') }
      })
    },
    dispose: () => screen.dispose(),
  }
}
