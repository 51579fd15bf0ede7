/** The longest message that is read (bytes), and its deepest nesting. */
export const LONGEST_MESSAGE = 1024 * 1024
export const DEEPEST = 64

/** The allowed rate of calls per second, and the burst. */
const RATE = 20
const BURST = 100

/** Limits calls: a burst, then the rate. `now` in ms. */
export class CallRate {
  #tokens = BURST
  #at: number

  constructor(now: number) {
    this.#at = now
  }

  /** True if one more call is allowed. */
  take(now: number): boolean {
    this.#tokens = Math.min(BURST, this.#tokens + ((now - this.#at) / 1000) * RATE)
    this.#at = now
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}

/** True if brackets outside of strings nest deeper than `limit`; checked without parsing, which would recurse. */
export const isDeeperThan = (limit: number, json: string): boolean => {
  let depth = 0
  let inString = false
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    if (inString) {
      if (character === '\\') at += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{' || character === '[') {
      depth += 1
      if (depth > limit) return true
    } else if (character === '}' || character === ']') depth -= 1
  }
  return false
}
