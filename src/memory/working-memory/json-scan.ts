/** An error in a JSON text, with its position. */
interface Fault {
  readonly offset: number
  readonly problem: string
}

type Path = readonly (string | number)[]

type Seen = (path: Path, offset: number) => void

/**
 * Scans a JSON text for facts that `JSON.parse` does not report: the position of an error, the positions of values, and
 * repeated keys (the first value would be lost when the file is written again). Calls `seen` with the path and position
 * of each value.
 */
export const scanJson = (text: string, seen?: Seen): Fault | undefined => {
  const scan: Scan = { text, frames: [], at: 0, wanted: 'a value' }
  for (;;) {
    scan.at = afterSpace(text, scan.at)
    if (text[scan.at] === undefined) {
      return scan.wanted === 'the end'
        ? undefined
        : { offset: Math.max(0, text.trimEnd().length - 1), problem: `the file ends where ${scan.wanted} was expected` }
    }
    const fault = readToken(scan, seen)
    if (fault !== undefined) return fault
  }
}

interface Scan {
  readonly text: string
  /** The arrays and objects around the position; `keys` is null in an array. */
  readonly frames: Frame[]
  at: number
  wanted: Wanted
}

interface Frame {
  readonly keys: Set<string> | null
  at: string | number
}

type Wanted = 'a value' | "a value or ']'" | 'a key' | "a key or '}'" | "':'" | "',' or ']'" | "',' or '}'" | 'the end'

const readToken = (scan: Scan, seen: Seen | undefined): Fault | undefined => {
  const { text, frames, at, wanted } = scan
  const character = text[at]
  const frame = frames.at(-1)
  if (frame && (frame.keys === null ? ']' : '}') === character && closable.has(wanted)) {
    frames.pop()
    return advance(scan, at + 1, afterValue(frames))
  }
  if (wanted === 'a value' || wanted === "a value or ']'") return readValue(scan, seen)
  if (wanted === 'a key' || wanted === "a key or '}'") return readKey(scan, frame!)
  if (wanted === "':'" && character === ':') return advance(scan, at + 1, 'a value')
  if (!frame || character !== ',' || wanted === "':'") return { offset: at, problem: `${wanted} was expected` }
  if (frame.keys === null) frame.at = (frame.at as number) + 1
  return advance(scan, at + 1, frame.keys === null ? 'a value' : 'a key')
}

/** Deeper values are no memory, and would overflow the stack of `JSON.stringify`. */
const DEEPEST = 100

const readValue = (scan: Scan, seen: Seen | undefined): Fault | undefined => {
  const { text, frames, at, wanted } = scan
  const character = text[at]
  seen?.(
    frames.map((one) => one.at),
    at,
  )
  if (character === '{' || character === '[') {
    if (frames.length === DEEPEST) return { offset: at, problem: `there are more than ${DEEPEST} levels of nesting` }
    frames.push(character === '{' ? { keys: new Set(), at: '' } : { keys: null, at: 0 })
    return advance(scan, at + 1, character === '{' ? "a key or '}'" : "a value or ']'")
  }
  const end = character === '"' ? stringEnd(text, at) : literalEnd(text, at)
  if (end === undefined)
    return {
      offset: at,
      problem:
        character === '"'
          ? 'there is a string that is not terminated or escaped as JSON requires'
          : `${wanted} was expected`,
    }
  return advance(scan, end, afterValue(frames))
}

const readKey = (scan: Scan, frame: Frame): Fault | undefined => {
  const { text, at, wanted } = scan
  const end = text[at] === '"' ? stringEnd(text, at) : undefined
  if (end === undefined) return { offset: at, problem: `${wanted} was expected` }
  const key = JSON.parse(text.slice(at, end)) as string
  if (frame.keys!.has(key)) return { offset: at, problem: `the key ${JSON.stringify(key.slice(0, 60))} occurs twice` }
  frame.keys!.add(key)
  frame.at = key
  return advance(scan, end, "':'")
}

const advance = (scan: Scan, at: number, wanted: Wanted): undefined => {
  scan.at = at
  scan.wanted = wanted
}

const afterValue = (frames: readonly Frame[]): Wanted => {
  const frame = frames.at(-1)
  if (!frame) return 'the end'
  return frame.keys === null ? "',' or ']'" : "',' or '}'"
}

const closable: ReadonlySet<Wanted> = new Set(["a value or ']'", "a key or '}'", "',' or ']'", "',' or '}'"])

/** The position of the value at `path`, or of the nearest one around it. */
export const placeOf = (text: string, path: Path): number => {
  let place = 0
  let depth = -1
  scanJson(text, (here, offset) => {
    if (here.length <= depth || here.length > path.length || here.some((step, at) => step !== path[at])) return
    place = offset
    depth = here.length
  })
  return place
}

/** The number of the line at an offset, from 1. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

const afterSpace = (text: string, from: number): number => {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\t' || text[at] === '\r') at += 1
  return at
}

const literalEnd = (text: string, from: number): number | undefined => {
  const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
  literal.lastIndex = from
  return literal.test(text) ? literal.lastIndex : undefined
}

const stringEnd = (text: string, from: number): number | undefined => {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code < 0x20) return undefined
    if (code !== 0x5c) continue
    at += 1
    if (text[at] === 'u' && /^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) at += 4
    else if (!'"\\/bfnrt'.includes(text[at] ?? '?')) return undefined
  }
  return undefined
}
