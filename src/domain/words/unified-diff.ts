// Indexes unified diffs by the positions of their lines. A library would create an object for every line; a diff of
// 100,000 lines is displayed a window at a time, so only the start, kind and number of each line are stored.

const lineKinds = ['hunk', 'context', 'added', 'removed', 'note'] as const
export type LineKind = (typeof lineKinds)[number]

/** The hunks of one file. Lines are counted from 0, the line of the first `@@` being the first. */
export interface DiffIndex {
  readonly text: string
  readonly count: number
  /** The positions of each line's start, including its sign, and end in the text. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly kinds: Uint8Array
  /** The number of the line in its file: in the old one for removed lines, in the new one for the others. */
  readonly numbers: Uint32Array
  readonly added: number
  readonly removed: number
  /** True if git shows no lines of it. */
  readonly binary: boolean
  /** True if all of its characters are printable ASCII, so that each takes one column. */
  readonly isPlain: boolean
}

const HEADER = 'diff --git '

/**
 * The parts of a diff of several files, each starting at its `diff --git`. No line of a file can begin like that,
 * because a sign precedes it.
 */
export const sectionsOf = (diff: string): readonly string[] => {
  const starts: number[] = diff.startsWith(HEADER) ? [0] : []
  for (let at = diff.indexOf(`\n${HEADER}`); at !== -1; at = diff.indexOf(`\n${HEADER}`, at + 1)) starts.push(at + 1)
  return starts.map((start, n) => diff.slice(start, starts[n + 1]))
}

/** Indexes the lines of one section, or of several for the same file. */
export const indexDiff = (text: string): DiffIndex => {
  const lines = linesFor(text)
  let [oldNumber, newNumber, added, removed, inHunks, at, binary, count] = [0, 0, 0, 0, false, 0, false, 0]
  let end = 0
  const push = (kind: LineKind, number: number): void => {
    lines.starts[count] = at
    lines.ends[count] = end
    lines.kinds[count] = codes[kind]
    lines.numbers[count++] = number
  }
  while (at < text.length) {
    const newline = text.indexOf('\n', at)
    end = newline === -1 ? text.length : newline
    const sign = text.charCodeAt(at)
    if (sign === AT) {
      inHunks = true
      ;[oldNumber, newNumber] = numbersOf(text.slice(at, Math.min(end, at + 60)))
      push('hunk', newNumber)
    } else if (sign === D && text.startsWith(HEADER, at)) {
      // The second part of a file that changed its type: all of its lines are new.
      inHunks = false
    } else if (!inHunks) {
      binary ||= text.startsWith('Binary files ', at) || text.startsWith('GIT binary patch', at)
    } else if (sign === PLUS) {
      added++
      push('added', newNumber++)
    } else if (sign === MINUS) {
      removed++
      push('removed', oldNumber++)
    } else if (sign === BACKSLASH) {
      push('note', newNumber)
    } else {
      push('context', newNumber++)
      oldNumber++
    }
    at = end + 1
  }
  const found = {
    starts: lines.starts.slice(0, count),
    ends: lines.ends.slice(0, count),
    kinds: lines.kinds.slice(0, count),
    numbers: lines.numbers.slice(0, count),
  }
  return { text, count, ...found, added, removed, binary, isPlain: plain.test(text) }
}

/** Room for all lines of a text. */
const linesFor = (text: string): Pick<DiffIndex, 'starts' | 'ends' | 'kinds' | 'numbers'> => {
  let most = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) most++
  const [starts, ends, numbers] = [0, 1, 2].map(() => new Uint32Array(most)) as [Uint32Array, Uint32Array, Uint32Array]
  return { starts, ends, kinds: new Uint8Array(most), numbers }
}

const plain = /^[\n\x20-\x7e]*$/

export const kindOf = (index: DiffIndex, line: number): LineKind => lineKinds[index.kinds[line]!]!

/** The text of a line without its sign; for a hunk or a note the whole line. */
export const contentOf = ({ text, starts, ends, kinds }: DiffIndex, line: number): string =>
  text.slice(starts[line]! + (isSigned(kinds[line]!) ? 1 : 0), ends[line])

/** The first line of the hunk that contains a line. */
export const hunkOf = ({ kinds, count }: DiffIndex, line: number): number => {
  for (let at = Math.min(line, count - 1); at >= 0; at--) if (kinds[at] === codes.hunk) return at
  return 0
}

/** The first line of the hunk after this line, or of the one before the line's own; -1 if there is none. */
export const neighbourHunk = ({ kinds, count }: DiffIndex, line: number, by: 1 | -1): number => {
  for (let at = line + by; at >= 0 && at < count; at += by) if (kinds[at] === codes.hunk) return at
  return -1
}

const [AT, D, PLUS, MINUS, BACKSLASH] = [...'@d+-\\'].map((sign) => sign.charCodeAt(0))

const isSigned = (code: number): boolean => code !== codes.hunk && code !== codes.note

const codes = Object.fromEntries(lineKinds.map((kind, code) => [kind, code])) as Readonly<Record<LineKind, number>>

const numbersOf = (hunk: string): [number, number] => {
  const [, old, next] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(hunk) ?? []
  return [Number(old ?? 0), Number(next ?? 0)]
}
