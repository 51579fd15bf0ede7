import type { ChildProcess } from 'node:child_process'
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Driver, Step } from '../../agents/kind/conversation.ts'

/** A longer line is passed on in pieces, and its driver does not read it (bytes). */
const LONGEST_OUTPUT = 4_000_000

/** How long the rest of an output is waited for: a process that the agent started may keep it open (ms). */
const REST = 2000

/** An agent with the driver of its protocol between it and its files. Lines of its output stay whole. */
export class Driven {
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

  constructor(driver: Driver, child: ChildProcess, changed: () => void, opening: number) {
    this.#driver = driver
    this.#child = child
    this.#changed = changed
    child.stdout!.on('data', (piece: Buffer) => this.#hear(piece))
    this.#drained = new Promise((resolve) => child.stdout!.once('close', resolve))
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

  /** Writes what is left of the output. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await Promise.race([this.#drained, sleep(REST, undefined, { ref: false })])
    this.#flush(this.#rest)
  }

  #tooLate(limit: number): void {
    const { opening } = this.#driver
    if (opening === undefined) return
    this.#do(this.#driver.fail(`it did not answer ${opening} within ${Math.round(limit / 1000)} s`))
    this.#flush([])
    this.#changed()
  }

  #hear(piece: Buffer): void {
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
    const whole = Buffer.concat([...out, Buffer.from(text)])
    try {
      for (let at = 0; at < whole.length;) at += writeSync(1, whole, at)
    } catch {
      // A full disk: the agent itself could not have written more.
    }
  }
}
