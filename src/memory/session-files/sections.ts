import { FormatError } from '../format-error.ts'
import { type Block, headingOf, itemText } from './markdown.ts'
import { indented } from './values.ts'

// Elements that the four formats share: headings with a value, bullets with a key, and unknown blocks.

/** A heading and the blocks below it. */
export interface Section {
  readonly heading: Block
  readonly depth: number
  /** `Task` of `## Task: task-1`, undecorated and in lower case; the whole text if there is no colon. */
  readonly name: string
  /** `task-1`; empty if there is no colon. */
  readonly value: string
  readonly text: string
  readonly body: readonly Block[]
}

/**
 * The blocks above the first heading and the sections of a document; headings deeper than `depth` are blocks of their
 * section.
 */
export const sectionsOf = (
  blocks: readonly Block[],
  depth: number,
): { readonly above: readonly Block[]; readonly sections: readonly Section[] } => {
  const starts = blocks.filter((block) => block.kind === 'heading' && headingOf(block).depth <= depth)
  const sections = starts.map((heading, at) => ({
    ...named(heading),
    heading,
    body: blocks.slice(heading.at + 1, starts[at + 1]?.at),
  }))
  return { above: blocks.slice(0, starts[0]?.at), sections }
}

const named = (heading: Block): Pick<Section, 'depth' | 'name' | 'value' | 'text'> => {
  const { depth, text } = headingOf(heading)
  const colon = text.indexOf(':')
  return {
    depth,
    text,
    name: nameOf(colon === -1 ? text : text.slice(0, colon)),
    value: colon === -1 ? '' : text.slice(colon + 1).trim(),
  }
}

const nameOf = (text: string): string =>
  text
    .slice(0, 200)
    .replace(/[ \t]#+$/, '')
    .replace(/[*`]/g, '')
    .replace(/\s*\/\s*/g, '/')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()

/** Keeps the first value of a heading. Refuses a different second one. */
export const agreed = <T>(known: T | undefined, value: T, { heading, text }: Section, file: string): T => {
  if (known !== undefined && known !== value)
    throw new FormatError(file, heading.line, `a second heading '${text.slice(0, 60)}' contradicts the first.`)
  return value
}

/** `- **Key**: value`, `- **Key:** value` or `- Key: value` with one of these keys, in lower case. */
export const keyOf = <K extends string>(
  item: Block,
  keys: readonly K[],
): { readonly key: K; readonly value: string } | undefined => {
  const text = itemText(item)
  const start = text.slice(0, 100)
  const match =
    /^(?:\*\*|__)\s*([^*:\n]+?)\s*(?:(?:\*\*|__)\s*:|:\s*(?:\*\*|__))/.exec(start) ?? /^([^*:\n]+?)\s*:/.exec(start)
  const key = keys.find((one) => one === match?.[1]!.toLowerCase())
  return key && { key, value: text.slice(match![0].length).trim() }
}

/** `- **Key**: value`. */
export const bullet = (key: string, value: string): string =>
  value === '' ? `- **${key}**:` : `- **${key}**: ${indented(value)}`

/**
 * Text that a format does not know, unchanged, by the part of the file from which it came and to which it is written.
 */
export type Other<Place extends string> = Readonly<Partial<Record<Place, string>>>

/** Collects blocks that a format does not know. */
export class LeftOver<Place extends string> {
  readonly #runs = new Map<Place, Block[][]>()

  keep(place: Place, ...blocks: readonly Block[]): void {
    const runs = this.#runs.get(place) ?? []
    for (const block of blocks) {
      if (runs.at(-1)?.at(-1)?.at === block.at - 1) runs.at(-1)!.push(block)
      else runs.push([block])
    }
    if (blocks.length > 0) this.#runs.set(place, runs)
  }

  all(): Other<Place> {
    return Object.fromEntries(
      [...this.#runs].map(([place, runs]) => [place, runs.map(runText).join('\n\n')]),
    ) as Other<Place>
  }
}

/**
 * Consecutive blocks, with the lines between them. Indented blocks would become part of a bullet above them, so an
 * empty comment separates them.
 */
const runText = (run: readonly Block[]): string => {
  const lines = run.flatMap(({ lines, line }, at) => [
    ...lines,
    ...emptyLines((run[at + 1]?.line ?? line + lines.length) - line - lines.length),
  ])
  if (run[0]!.kind === 'heading') return [lines[0]!.trimStart(), ...lines.slice(1)].join('\n')
  return /^[ \t]/.test(lines[0]!) ? `<!-- -->\n\n${lines.join('\n')}` : lines.join('\n')
}

const emptyLines = (count: number): readonly string[] => Array<string>(count).fill('')

/** Joins parts of a document with an empty line, without missing and empty ones. */
export const documentOf = (...parts: readonly (string | undefined)[]): string =>
  `${parts.filter((part) => part !== undefined && part !== '').join('\n\n')}\n`
