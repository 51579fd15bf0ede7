import { Refusal } from '../../domain/rules/refusal.ts'
import { findAdr } from './adrs.ts'
import type { loadables } from './limits.ts'
import { adrId, goalPath, places } from './names.ts'
import { type ProjectPlace, textAt } from './store.ts'

// The files that an agent loads, and the excerpt of a file that fits into its context.

export interface Loaded {
  readonly files: readonly { readonly path: string; readonly content: string }[]
  /** Expected files that are missing. */
  readonly missing: readonly string[]
}

/** `session-start`, `adr ID` or `handoff AGENT`. */
export const load = (place: ProjectPlace, what: (typeof loadables)[number], names: readonly string[]): Loaded => {
  const [name, ...more] = names
  if (what === 'session-start') {
    if (name !== undefined) throw new Refusal('invalid_input', 'session-start takes no name.')
    return loadSessionStart(place)
  }
  if (name === undefined || more.length > 0)
    throw new Refusal(
      'invalid_input',
      what === 'adr' ? 'adr takes one id, such as ADR-005.' : 'handoff takes one agent.',
    )
  return what === 'adr' ? loadAdr(place, name) : loadHandoff(place, name)
}

/** The files that an agent reads when its session begins: only the summary and the rules for hand-offs. */
const loadSessionStart = (place: ProjectPlace): Loaded => {
  const summary = textAt(place, places.summary)
  if (summary === undefined)
    throw new Refusal(
      'not_found',
      `${places.summary} is missing, and a session needs it; 'aiswarm memory init' creates it.`,
    )
  const protocol = textAt(place, places.protocol)
  return {
    files: [
      { path: places.summary, content: summary },
      ...(protocol === undefined ? [] : [{ path: places.protocol, content: protocol }]),
    ],
    missing: protocol === undefined ? [places.protocol] : [],
  }
}

const loadAdr = (place: ProjectPlace, given: string): Loaded => {
  const { id, file, path } = findAdr(place, adrId(given))
  if (!file) throw new Refusal('not_found', `${id} has no file ${path}.`)
  return { files: [{ path, content: file.text }], missing: [] }
}

const loadHandoff = (place: ProjectPlace, agent: string): Loaded => {
  const path = goalPath(agent)
  const content = textAt(place, path)
  if (content === undefined) throw new Refusal('not_found', `Nothing was handed over to ${agent}: there is no ${path}.`)
  return { files: [{ path, content }], missing: [] }
}

/** The most of one file that an agent gets at once (bytes, about 7,500 tokens). */
const MOST_TOLD = 30_000

interface Excerpt {
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

/** The most names in a list for a reader. */
const MOST_NAMES = 20

const named = (names: readonly string[]): readonly string[] =>
  names.length <= MOST_NAMES ? names : [...names.slice(0, MOST_NAMES), `${names.length - MOST_NAMES} more sections`]
