// Standard output of a terminal that may read slowly, or not at all for a while: what it has not read is not added to.

import { inAscii } from './ascii.ts'
import { frameBegins, frameEnds, makeCanvas } from './canvas.ts'

/** What a terminal has that says 0×0, as a serial line does, and a pty whose size nobody set. */
const assumed = { columns: 80, rows: 24 }

/** How Ink goes to where the frame before began, and takes it away. */
// eslint-disable-next-line no-control-regex -- that is what they are
const takingAway = /^(?:\u001b\[[\d;]*[A-HJK])+/

/** Such as that of the cursor, which Ink hides within its first frame. */
// eslint-disable-next-line no-control-regex -- that is what it is
const mode = /^\u001b\[\?[\d;]*[hl]$/

/** The screen beside that of the shell, taken or given back. */
// eslint-disable-next-line no-control-regex -- that is what it is
const otherScreen = /\u001b\[\?1049[hl]/

export interface OutputTap {
  /** Standard output for Ink. */
  readonly stdout: NodeJS.WriteStream
  /** True while the terminal has not read all that was written. */
  readonly behind: () => boolean
  /** Resolves once it has, or is gone. */
  readonly read: () => Promise<void>
  /** Nothing more is written, while another program has the terminal. */
  readonly lend: () => void
  /** The terminal's size may have changed meanwhile. */
  readonly takeBack: () => void
  /** The frame is drawn from nothing. */
  readonly redraw: () => void
  /** A key was pressed: whoever looks sees what is so. */
  readonly touch: () => void
  readonly end: () => void
}

/**
 * Of what Ink writes as a frame only its lines are taken, and those that are not on the screen are written, each at its
 * place. While the terminal has not read what was written before, or its size changes, a frame waits, and is forgotten for
 * the next one: of a hundred frames that a slow link missed only the last one matters. Everything else (modes, the clipboard)
 * goes out in its order.
 * `plain`: the terminal has no more than ASCII.
 * `others` lead to the same terminal: what is written there, such as the cursor that is shown at the end, is not waited for either.
 */
export const tapOutput = (target: NodeJS.WriteStream, others: readonly NodeJS.WriteStream[] = [], plain = false): OutputTap => {
  const canvas = makeCanvas()
  let frame: readonly string[] | undefined
  let inFrame = false
  let lent = false
  let resizing = false
  const wait = (waits: boolean): void => [target, ...others].forEach((stream) => waitForReader(stream, waits))
  const behind = (): boolean => target.writableLength > 0
  const draw = (): void => {
    if (!frame || inFrame || lent || resizing || behind() || !target.writable) return
    const bytes = canvas.paint(frame, target.rows || assumed.rows)
    if (bytes !== '') target.write(bytes, draw)
  }
  const redraw = (): void => {
    canvas.forget()
    draw()
  }
  /** Ink draws at once, what was laid out for the size before: the frame that is laid out anew is waited for. */
  const onResize = (): void => {
    if (resizing) return
    resizing = true
    setImmediate(() => {
      resizing = false
      redraw()
    })
  }
  const take = (text: string): void => {
    const drawn = text.replace(takingAway, '')
    const lines = plain ? inAscii(drawn) : drawn
    // What is taken away and not put back at once makes room for something that others write there.
    if (lines === '') canvas.forget()
    else frame = (lines.endsWith('\n') ? lines.slice(0, -1) : lines).split('\n')
  }
  const pass = (chunk: string | Uint8Array, done: ((error?: Error | null) => void) | undefined): boolean => {
    if (typeof chunk === 'string' && otherScreen.test(chunk)) {
      canvas.forget()
      frame = undefined
    }
    return target.write(chunk, (error) => {
      done?.(error)
      draw()
    })
  }
  const write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const done = rest.find((word) => typeof word === 'function') as ((error?: Error | null) => void) | undefined
    if (chunk === frameBegins || chunk === frameEnds) {
      inFrame = chunk === frameBegins
      draw()
    } else if (typeof chunk === 'string' && chunk !== '' && (inFrame ? !mode.test(chunk) : chunk.replace(takingAway, '') === '')) take(chunk)
    else if (!lent) return pass(chunk, done)
    if (done) process.nextTick(done)
    return true
  }
  const tap: OutputTap = {
    stdout: new Proxy(target, {
      get: (_, property) => {
        if (property === 'write') return write
        const value: unknown = Reflect.get(target, property, target)
        if (property === 'columns' || property === 'rows') return value || assumed[property]
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    }),
    behind,
    read: () => new Promise((done) => void (target.writable ? target.write('', () => done()) : done())),
    lend: () => void (lent = true),
    takeBack: () => {
      lent = false
      canvas.forget()
      // A program that inherits standard output is given it as programs expect it: one that waits.
      wait(false)
      // Only the program in front is told of a new size, and Node looks only then.
      process.emit('SIGWINCH', 'SIGWINCH')
    },
    redraw,
    touch: canvas.touch,
    end: () => {
      target.off('resize', onResize)
      process.off('SIGWINCH', onResize)
      wait(true)
    },
  }
  // Before Ink, which draws then.
  target.on('resize', onResize)
  // A size that is again what it was has cut off lines all the same, and Node tells of no change.
  process.on('SIGWINCH', onResize)
  wait(false)
  return tap
}

/**
 * Node lets each write to a terminal wait until it was read. One that does not read, such as a link that hangs, would so
 * hold up the loops as well: leases would run out, and agents lose their work. Where Node gives no way, it stays as it is.
 */
const waitForReader = (stdout: NodeJS.WriteStream, waits: boolean): void => {
  const { _handle: handle } = stdout as { readonly _handle?: { readonly setBlocking?: (waits: boolean) => void } | null }
  handle?.setBlocking?.(waits)
}
