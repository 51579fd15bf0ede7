/** The longest message that is read (bytes), and how deep it may be nested. */
export const LONGEST_MESSAGE = 1024 * 1024
export const DEEPEST = 64

/** Calls a second that are taken in the long run, and how many at once. */
const RATE = 20
const BURST = 100

/** Counts calls: as many at once as the burst, then the rate. `now` in ms. */
export class CallRate {
  #tokens = BURST
  #at: number

  constructor(now: number) {
    this.#at = now
  }

  /** True where one more call is taken. */
  take(now: number): boolean {
    this.#tokens = Math.min(BURST, this.#tokens + ((now - this.#at) / 1000) * RATE)
    this.#at = now
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}

/** True where brackets outside of strings nest deeper than `limit`; told without parsing, which would recurse. */
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
