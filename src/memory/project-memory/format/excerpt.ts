/** The most of one file that an agent gets at once (bytes, about 7,500 tokens). */
const MOST_TOLD = 30_000

/** The most names in a list for a reader. */
const MOST_NAMES = 20

export interface Excerpt {
  readonly text: string
  /** The sections that are missing or incomplete in it. */
  readonly leftOut: readonly string[]
}

/**
 * An excerpt of a Markdown file within `most` bytes: its sections in their order while they fit, and of the first that
 * does not its heading and its last lines, because new text is appended at the end.
 */
export const excerptOf = (text: string, most = MOST_TOLD): Excerpt => {
  if (Buffer.byteLength(text) <= most) return { text, leftOut: [] }
  const sections = sectionsOf(text)
  const kept: string[] = []
  let free = most
  for (const [at, lines] of sections.entries()) {
    const size = sizeOf(lines)
    if (size <= free) {
      kept.push(...lines)
      free -= size
      continue
    }
    const some = lastLines(lines, free)
    kept.push(...some)
    return {
      text: kept.join('\n'),
      leftOut: named([
        `${lines.length - some.length} of ${lines.length} lines of ${nameOf(lines)}`,
        ...sections.slice(at + 1).map(nameOf),
      ]),
    }
  }
  return { text, leftOut: [] }
}

/** The lines from each heading to the next; headings in code fences do not count. */
const sectionsOf = (text: string): readonly (readonly string[])[] => {
  const sections: string[][] = [[]]
  let fence: string | undefined
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined ? mark !== undefined : mark?.startsWith(fence) === true)
      fence = fence === undefined ? mark : undefined
    else if (fence === undefined && /^#{1,6} /.test(line) && sections.at(-1)!.length > 0) sections.push([])
    sections.at(-1)!.push(line)
  }
  return sections
}

/** The heading and as many complete lines of the end as fit; a line that is too long by itself is skipped. */
const lastLines = ([heading, ...lines]: readonly string[], most: number): readonly string[] => {
  if (heading === undefined || sizeOf([heading]) > most) return []
  let free = most - sizeOf([heading])
  const kept: string[] = []
  for (const line of lines.reverse()) {
    const size = sizeOf([line])
    if (size > most) continue
    if (size > free) break
    free -= size
    kept.unshift(line)
  }
  return [heading, ...kept]
}

const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)

const nameOf = ([heading = '']: readonly string[]): string =>
  /^#{1,6} /.test(heading) ? `'${heading.slice(0, 100)}'` : 'its beginning'

const named = (names: readonly string[]): readonly string[] =>
  names.length <= MOST_NAMES ? names : [...names.slice(0, MOST_NAMES), `${names.length - MOST_NAMES} more sections`]
