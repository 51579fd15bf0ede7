import { inAscii } from './ascii.ts'

// Standard output of a terminal that may read slowly, or not at all for a while: nothing is added to unread output.

/** The size of a terminal that reports 0×0, such as a serial line, or a pty without a size. */
const assumed = { columns: 80, rows: 24 }

/** Ink's sequence for moving to the beginning of the previous frame and erasing it. */
// oxlint-disable-next-line no-control-regex -- that is what they are
const takingAway = /^(?:\u001b\[[\d;]*[A-HJK])+/

/** For example that of the cursor, which Ink hides within its first frame. */
// oxlint-disable-next-line no-control-regex -- that is what it is
const mode = /^\u001b\[\?[\d;]*[hl]$/

/** The alternate screen, entered or left. */
// oxlint-disable-next-line no-control-regex -- that is what it is
const otherScreen = /\u001b\[\?1049[hl]/

export interface OutputTap {
  /** Standard output for Ink. */
  readonly stdout: NodeJS.WriteStream
  /** True while the terminal has not read everything that was written. */
  readonly behind: () => boolean
  /** Resolves once it has, or is closed. */
  readonly read: () => Promise<void>
  /** Stops all writes while another program has the terminal. */
  readonly lend: () => void
  /** The terminal's size may have changed meanwhile. */
  readonly takeBack: () => void
  /** Draws the whole frame again. */
  readonly redraw: () => void
  /** Called for a key, after which the screen must be correct. */
  readonly touch: () => void
  readonly end: () => void
}

/**
 * Takes only the lines of Ink's frames, and writes those that differ from the screen, each at its place. While the
 * terminal has not read earlier output, or its size changes, a frame waits, and is dropped for the next one: of a
 * hundred frames that a slow link missed only the last one matters. Everything else (modes, the clipboard) is written
 * in order. `plain`: the terminal supports only ASCII. `others` are streams to the same terminal: output there, such as
 * the cursor that is shown at the end, does not block either.
 */
export const tapOutput = (
  target: NodeJS.WriteStream,
  others: readonly NodeJS.WriteStream[] = [],
  plain = false,
): OutputTap => {
  // In one piece because whether a frame is written now depends on all else that goes to the same terminal.
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
  /** Ink immediately draws the layout for the previous size: the next frame is awaited. */
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
    // An erased frame that is not replaced at once makes room for other output.
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
    } else if (
      typeof chunk === 'string' &&
      chunk !== '' &&
      (inFrame ? !mode.test(chunk) : chunk.replace(takingAway, '') === '')
    )
      take(chunk)
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
      // A program that inherits standard output gets it in blocking mode, as programs expect.
      wait(false)
      // Only the foreground program receives SIGWINCH, and Node checks the size only then.
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
  // Before Ink, which then draws.
  target.on('resize', onResize)
  // A size that changes back has truncated lines all the same, and Node reports no change.
  process.on('SIGWINCH', onResize)
  wait(false)
  return tap
}

/**
 * Node blocks on each write to a terminal until it was read. A terminal that does not read, such as a hanging link,
 * would block the loops as well: leases would expire, and agents would lose their work. Without a handle in Node
 * nothing changes.
 */
const waitForReader = (stdout: NodeJS.WriteStream, waits: boolean): void => {
  const { _handle: handle } = stdout as {
    readonly _handle?: { readonly setBlocking?: (waits: boolean) => void } | null
  }
  handle?.setBlocking?.(waits)
}

// Tracks the screen line by line, and writes each line at its own place, independent of the lines around it.

/** Between these sequences the terminal does not update the screen. */
const frameBegins = '\u001b[?2026h'
const frameEnds = '\u001b[?2026l'

/** A line that the terminal measures wider than aiswarm does is truncated at the edge, and moves no line below it. */
const noWrap = '\u001b[?7l'
const wrap = '\u001b[?7h'

const plain = '\u001b[0m'

/** Milliseconds after which a key causes the whole frame to be written, which removes output of other programs. */
const WHOLE = 10_000

interface Canvas {
  /** The bytes that change the screen of so many rows to this frame; empty if it is already there. */
  readonly paint: (lines: readonly string[], rows: number) => string
  /** Marks the screen's content as unknown. */
  readonly forget: () => void
  /** Called for a key: the screen's content is trusted only for a limited time. */
  readonly touch: () => void
}

export const makeCanvas = (clock: () => number = () => performance.now()): Canvas => {
  let shown: readonly string[] | undefined
  let wholeAt = -Infinity
  return {
    paint: (all, rows) => {
      // If there are more lines than rows, the last ones are visible, as after scrolling.
      const lines = all.slice(-rows)
      if (shown && shown.length === lines.length && lines.every((line, row) => line === shown![row])) return ''
      const known = shown
      const below = lines.length < rows && known?.length !== lines.length ? `${place(lines.length)}\u001b[J` : ''
      const changed = lines.flatMap((line, row) => (known?.[row] === line ? [] : [`${place(row)}\u001b[K${line}`]))
      if (!known) wholeAt = clock()
      shown = lines
      return [
        frameBegins,
        noWrap,
        known ? '' : plain,
        ...changed,
        below,
        place(Math.min(lines.length, rows - 1)),
        wrap,
        frameEnds,
      ].join('')
    },
    forget: () => void (shown = undefined),
    touch: () => {
      if (clock() - wholeAt >= WHOLE) shown = undefined
    },
  }
}

const place = (row: number): string => `\u001b[${row + 1};1H`
