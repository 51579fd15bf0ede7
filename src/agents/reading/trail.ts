import type { Reading } from './reading.ts'

/** A failure of a tool. */
export interface Mishap {
  readonly kind: 'tool_failed' | 'denied'
  readonly tool: string
  readonly about: string
}

/** The most calls and failures that are stored, for an agent that repeats itself. */
const MOST_CALLS = 2000
const MOST_MISHAPS = 200

/** Calls whose end may still be reported. */
const OPEN_CALLS_OF_TRAIL = 64

/** The tools that a run has called, in order, and their failures. */
export class Trail {
  readonly tools: string[] = []
  readonly mishaps: Mishap[] = []
  /** The number of calls that are not stored. */
  left = 0
  readonly #names = new Map<string, string>()

  add(reading: Reading): void {
    if (reading.kind === 'tool') this.#called(reading)
    else if (reading.kind === 'tool_failed' || reading.kind === 'denied') this.#wentWrong(reading)
  }

  /** Some CLIs report one call repeatedly while it runs. */
  #called({ name, call }: Extract<Reading, { kind: 'tool' }>): void {
    if (call !== undefined && call !== '') {
      if (this.#names.has(call)) return
      this.#names.set(call, name)
      if (this.#names.size > OPEN_CALLS_OF_TRAIL) this.#names.delete(this.#names.keys().next().value!)
    }
    if (this.tools.length < MOST_CALLS) this.tools.push(name)
    else this.left += 1
  }

  /** Some CLIs report a denial twice: when it happens, and in a list at their end. */
  #wentWrong({ kind, name, about, call }: Extract<Reading, { kind: 'tool_failed' | 'denied' }>): void {
    const tool = name || this.#names.get(call ?? '') || 'a tool'
    const known = this.mishaps.some((one) => one.kind === kind && one.tool === tool && one.about === about)
    if (!known && this.mishaps.length < MOST_MISHAPS) this.mishaps.push({ kind, tool, about })
  }
}
