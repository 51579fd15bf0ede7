import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readSync, watch, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Driver, Protocol, Step } from '../../agents/kind/conversation.ts'
import { entryOf } from './journal-entry.ts'

// The relay between a journal and the standard input of an agent: the parent of the agent's process, in its session.
// It outlives every console, so it imports nothing but Node's own modules and starts as fast as Node does.

/**
 * Runs a program and forwards the entries of a journal to its input until it ends. Arguments: the journal, the protocol,
 * the time that the program has after the end of its input, the time that it has to open the conversation (ms), the
 * program, its arguments. Reads the key of the journal from its own standard input. A protocol with a driver needs
 * answers at once: its driver reads the program's output, and makes the lines of its input. Returns the program's exit
 * code, 128 and the signal's number if a signal ended it, 127 if it could not be started, 1 if no conversation began.
 */
export const relay = async ([
  path,
  protocol,
  patience,
  opening,
  program,
  ...args
]: readonly string[]): Promise<number> => {
  // Signals go to the whole session: the program decides how it ends, and the relay ends after it.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {})
  // The pipe may be empty yet, and a read of it would fail: process.stdin has made it non-blocking.
  const key = (await text(process.stdin)).trim()
  const driver = (await driverOf(protocol!))?.()
  const child = spawn(program!, args, { stdio: ['pipe', driver ? 'pipe' : 'inherit', 'inherit'] })
  // The program may close its input, or end, while a line is on its way.
  child.stdin!.on('error', () => {})
  const ended = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`${program}: ${error.message}\n`)
      resolve(127)
    })
    child.once('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal!] ?? 0)))
  })
  let over = false
  let forced = false
  void ended.then(() => (over = true))
  const journal = new Journal(path!)
  const driven = driver && new Driven(driver, child, () => journal.readNew(), Number(opening))
  await forward(journal, key, ended, driven ?? direct(child, ended))
  journal.close()
  child.stdin!.end()
  if (!over) void endLater(child, Number(patience), () => over).then(() => (forced = true))
  const code = await ended
  await driven?.close()
  // The end was requested, so a program that had to be killed for it has not failed.
  return driver?.failed ? 1 : forced ? 0 : code
}

/** Loaded only for a protocol that has one: the relay of any other starts as fast as Node does. */
const driverOf = async (protocol: string): Promise<(() => Driver) | undefined> =>
  protocol === 'stream-json' ? undefined : (await import('../../agents/drivers.ts')).drivers[protocol as Protocol]

/** Where the lines of a journal go. */
interface Target {
  /** Returns when the next line may come. */
  take(line: string): Promise<void>
  /** The journal has ended. */
  end(): void
  readonly over: boolean
}

/** Forwards every entry once, until the target has enough. */
const forward = async (journal: Journal, key: string, ended: Promise<unknown>, target: Target): Promise<void> => {
  let gone = false
  void ended.then(() => (gone = true))
  const said = new Set<string>()
  while (!gone && !target.over) {
    for (const line of journal.read()) {
      const entry = entryOf(key, line)
      if (entry === undefined || said.has(entry.id) || said.has(END)) continue
      said.add(entry.line === undefined ? END : entry.id)
      if (entry.line === undefined) target.end()
      else await target.take(entry.line)
    }
    if (!target.over) await Promise.race([journal.more(), ended])
  }
}

/** An id that no entry has. */
const END = ''

const direct = (child: ChildProcess, ended: Promise<unknown>): Target => {
  const target = {
    over: false,
    end: () => void (target.over = true),
    take: async (line: string) => write(child, `${line}\n`, ended),
  }
  return target
}

const write = async ({ stdin }: ChildProcess, text: string, ended: Promise<unknown>): Promise<void> => {
  if (stdin!.destroyed || stdin!.write(text)) return
  await Promise.race([new Promise((resolve) => stdin!.once('drain', resolve).once('close', resolve)), ended])
}

/** How long a program may take to end after SIGTERM (ms). */
const GRACE = 2000

/** Resolves before the first signal, if the program does not end by itself. */
const endLater = async (child: ChildProcess, patience: number, over: () => boolean): Promise<void> => {
  await sleep(patience, undefined, { ref: false })
  if (over()) return new Promise(() => {})
  setTimeout(() => over() || child.kill('SIGKILL'), GRACE).unref()
  // The group has the number of the session's leader, and several CLIs are wrappers of others.
  process.kill(0, 'SIGTERM')
}

/** How often the journal is read without a sign of the file system, which some file systems do not give (ms). */
const POLL = 500

/** A longer line does not come from aiswarm (bytes). */
const LONGEST = 16 * 1024 * 1024

const PIECE = 64 * 1024

/** Reads the complete lines that are appended to a file. */
class Journal {
  readonly #path: string
  readonly #file: number
  readonly #timer: NodeJS.Timeout
  readonly #piece = Buffer.alloc(PIECE)
  #offset = 0
  #rest: Buffer[] = []
  #length = 0
  #wake = (): void => {}
  #changed = true

  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'r')
    this.#timer = setInterval(() => this.readNew(), POLL)
    this.#watch()
  }

  /** The lines that were completed since the last call. */
  *read(): Generator<string> {
    this.#changed = false
    for (;;) {
      const length = readSync(this.#file, this.#piece, 0, PIECE, this.#offset)
      if (length === 0) return
      this.#offset += length
      let from = 0
      for (let at = this.#piece.indexOf(10); at !== -1 && at < length; at = this.#piece.indexOf(10, from)) {
        yield Buffer.concat([...this.#rest, this.#piece.subarray(from, at)]).toString('utf8')
        from = at + 1
        this.#rest = []
        this.#length = 0
      }
      this.#keep(this.#piece.subarray(from, length))
    }
  }

  /** Resolves when the file may have grown. */
  async more(): Promise<void> {
    if (!this.#changed) await new Promise<void>((resolve) => (this.#wake = resolve))
  }

  close(): void {
    clearInterval(this.#timer)
    this.#watcher?.close()
    closeSync(this.#file)
  }

  #keep(rest: Buffer): void {
    this.#length += rest.length
    // The rest of a longer line is dropped, so its seal does not fit.
    if (this.#length <= LONGEST) this.#rest.push(Buffer.from(rest))
  }

  #watcher: ReturnType<typeof watch> | undefined

  #watch(): void {
    try {
      this.#watcher = watch(this.#path, () => this.readNew())
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // The timer alone finds what is new.
    }
  }

  /** Reads again, for example because an end is near. */
  readNew(): void {
    this.#changed = true
    this.#wake()
  }
}

/** A longer line is passed on in pieces, and its driver does not read it (bytes). */
const LONGEST_OUTPUT = 4_000_000

/**
 * How long the rest of an output is waited for while nothing comes, and at most: a process that the agent started may
 * keep it open, and go on printing (ms).
 */
const REST = 5000
const LAST = 60_000

/** The last line of an output that is not read to its end; a program's own would be JSON. */
const OPEN = '… the agent has ended, but a program that it started keeps its output open: what follows is not kept …\n'

/** An agent with the driver of its protocol between it and its files. Lines of its output stay whole. */
class Driven {
  readonly #driver: Driver
  readonly #child: ChildProcess
  readonly #changed: () => void
  readonly #timer: NodeJS.Timeout
  readonly #drained: Promise<unknown>
  #rest: Buffer[] = []
  #length = 0
  /** In the middle of a line that is passed on in pieces: notes wait for its end. */
  #passing = false
  #notes = ''
  /** The pieces of output that have come. */
  #pieces = 0
  #isWhole = false

  constructor(driver: Driver, child: ChildProcess, changed: () => void, opening: number) {
    this.#driver = driver
    this.#child = child
    this.#changed = changed
    child.stdout!.on('data', (piece: Buffer) => this.#hear(piece))
    this.#drained = new Promise<void>((resolve) => child.stdout!.once('close', resolve)).then(() => {
      this.#isWhole = true
    })
    this.#timer = setTimeout(() => this.#tooLate(opening), opening)
  }

  get over(): boolean {
    return this.#driver.over
  }

  end(): void {
    this.#driver.end()
  }

  async take(line: string): Promise<void> {
    this.#do(this.#driver.take(line))
    this.#flush([])
    return Promise.resolve()
  }

  /** Writes what is left of the output, to its end; if that does not come, its last line says so. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    const until = performance.now() + LAST
    let pieces: number
    do {
      pieces = this.#pieces
      await Promise.race([this.#drained, sleep(REST, undefined, { ref: false })])
    } while (!this.#isWhole && this.#pieces > pieces && performance.now() < until)
    const isOpen = !this.#isWhole
    this.#child.stdout!.destroy()
    this.#flush(this.#rest)
    if (isOpen) this.#write(Buffer.from(`${this.#rest.length > 0 || this.#passing ? '\n' : ''}${OPEN}`))
  }

  #tooLate(limit: number): void {
    const { opening } = this.#driver
    if (opening === undefined) return
    this.#do(this.#driver.fail(`it did not answer ${opening} within ${Math.round(limit / 1000)} s`))
    this.#flush([])
    this.#changed()
  }

  #hear(piece: Buffer): void {
    this.#pieces++
    const out: Buffer[] = []
    let from = 0
    for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, from)) {
      this.#line(Buffer.concat([...this.#rest, piece.subarray(from, at + 1)]), out)
      from = at + 1
      this.#rest = []
      this.#length = 0
    }
    if (from < piece.length) this.#keep(piece.subarray(from), out)
    this.#flush(out)
    if (this.#driver.over) this.#changed()
  }

  /** A line with its line break. */
  #line(line: Buffer, out: Buffer[]): void {
    if (this.#passing) {
      this.#passing = false
      out.push(line)
      return
    }
    const step = this.#driver.hear(line.toString('utf8', 0, line.length - 1))
    this.#do(step)
    if (this.#notes !== '') out.push(Buffer.from(this.#notes))
    this.#notes = ''
    if (step.keep !== false) out.push(line)
  }

  #keep(rest: Buffer, out: Buffer[]): void {
    this.#rest.push(rest)
    this.#length += rest.length
    if (!this.#passing && this.#length <= LONGEST_OUTPUT) return
    this.#passing = true
    out.push(...this.#rest)
    this.#rest = []
    this.#length = 0
  }

  #do({ send, note }: Step): void {
    // Lines that a broken agent does not read stay in memory, but aiswarm sends little.
    if (send.length > 0 && !this.#child.stdin!.destroyed) this.#child.stdin!.write(`${send.join('\n')}\n`)
    for (const line of note) this.#notes += `${line}\n`
  }

  #flush(out: readonly Buffer[]): void {
    const text = this.#passing ? '' : this.#notes
    if (text !== '') this.#notes = ''
    this.#write(Buffer.concat([...out, Buffer.from(text)]))
  }

  #write(whole: Buffer): void {
    try {
      for (let at = 0; at < whole.length;) at += writeSync(1, whole, at)
    } catch {
      // A full disk: the agent itself could not have written more.
    }
  }
}
