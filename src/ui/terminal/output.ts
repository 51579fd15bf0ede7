// Standard output of a terminal that may read slowly, or not at all for a while: what it has not read is not added to.

/** Ink marks where a frame begins and ends. */
const frameBegins = '\u001b[?2026h'
const frameEnds = '\u001b[?2026l'

/** To the first column of the first row, and nothing below it. */
const emptied = '\u001b[H\u001b[J'

/** What a terminal has that says 0×0, as a serial line does, and a pty whose size nobody set. */
const assumed = { columns: 80, rows: 24 }

/** What draws the frames, as Ink does: each as the difference to the one before. */
export interface Drawing {
  /** The frame before is no longer on the screen. */
  readonly forget: () => void
  readonly draw: () => void
}

export interface OutputTap {
  /** Standard output for Ink. */
  readonly stdout: NodeJS.WriteStream
  /** True while the terminal has not read all that was written. */
  readonly behind: () => boolean
  /** Resolves once it has, or is gone. */
  readonly read: () => Promise<void>
  /** Draws the last frame for a terminal that has missed some. */
  drawing: Drawing | undefined
  /** Nothing more is written, while another program has the terminal. */
  readonly lend: () => void
  /** The terminal's size may have changed meanwhile. */
  readonly takeBack: () => void
  readonly end: () => void
}

/**
 * A frame that begins while the terminal has not read the one before is dropped whole: of a hundred frames that a slow
 * link missed only the last one matters. Everything else (modes, the clipboard) is kept and goes out in its order.
 * `others` lead to the same terminal: what is written there, such as the cursor that is shown at the end, is not waited for either.
 */
export const tapOutput = (target: NodeJS.WriteStream, others: readonly NodeJS.WriteStream[] = []): OutputTap => {
  let frame: 'none' | 'written' | 'dropped' = 'none'
  let missed = false
  let wipe = false
  let lent = false
  let resizing = false
  let redrawing = false
  const wait = (waits: boolean): void => [target, ...others].forEach((stream) => waitForReader(stream, waits))
  const behind = (): boolean => target.writableLength > 0
  const catchUp = (): void => {
    if (!missed || !tap.drawing || resizing || behind() || frame !== 'none' || lent || !target.writable) return
    // What it would wipe away line by line goes in one piece with the frame instead.
    frame = 'dropped'
    tap.drawing.forget()
    frame = 'none'
    missed = false
    wipe = true
    redrawing = true
    tap.drawing.draw()
    redrawing = false
  }
  /**
   * Ink draws at once, what was laid out for the size before, and a frame of that may still be on its way: either may come to
   * stand anywhere. So the one that is laid out anew is drawn from nothing.
   */
  const onResize = (): void => {
    if (redrawing || resizing || !tap.drawing) return
    resizing = true
    setImmediate(() => {
      resizing = false
      missed = true
      catchUp()
    })
  }
  const write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const done = rest.find((word) => typeof word === 'function') as ((error?: Error | null) => void) | undefined
    if (chunk === frameBegins) frame = behind() || resizing ? 'dropped' : 'written'
    const current = frame
    if (chunk === frameEnds) frame = 'none'
    if (current === 'dropped' || lent) {
      missed ||= !lent
      if (done) process.nextTick(done)
      return true
    }
    const text = wipe && chunk === frameBegins ? frameBegins + emptied : chunk
    if (text !== chunk) wipe = false
    return target.write(text, (error) => {
      done?.(error)
      catchUp()
    })
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
    drawing: undefined,
    lend: () => void (lent = true),
    takeBack: () => {
      lent = false
      // A program that inherits standard output is given it as programs expect it: one that waits.
      wait(false)
      // Only the program in front is told of a new size, and Node looks only then.
      process.emit('SIGWINCH', 'SIGWINCH')
    },
    end: () => {
      target.off('resize', onResize)
      wait(true)
    },
  }
  // Before Ink, which draws then.
  target.on('resize', onResize)
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
