import { FormatError } from '../format-error.ts'
import { headingOf, readDocument } from '../session-files/markdown.ts'
import { plainWord, shown } from '../session-files/values.ts'

/** The statuses of a decision. `Proposed` counts as a draft. */
export const adrStatuses = ['Draft', 'Accepted', 'Superseded'] as const
export type AdrStatus = (typeof adrStatuses)[number]

/** The file of one decision. */
export interface AdrFile {
  readonly id: string
  readonly title: string
  readonly status: AdrStatus
  /**
   * The position of the status word: its line (from 1) and its columns. Null if the file has none, which means a draft.
   */
  readonly statusAt: { readonly line: number; readonly from: number; readonly to: number } | null
  /** The line of its title, from 1. */
  readonly titleLine: number
  /** The whole text, with LF as line ending. */
  readonly text: string
}

/**
 * Parses `# ADR-005: …` with its status: `## Status` and the next line, `**Status:** Accepted`, or YAML between `---`.
 */
export const parseAdr = (text: string, file: string): AdrFile => {
  const lines = text.split('\n')
  const matter = frontMatter(lines)
  // Replaced by empty lines, so that line numbers stay the same.
  const { blocks } = readDocument([...lines.slice(0, matter).map(() => ''), ...lines.slice(matter)].join('\n'))
  const found: { line: number; word: string }[] = []
  let title: { id: string; title: string; titleLine: number } | undefined
  for (const [at, block] of blocks.entries()) {
    if (block.kind === 'heading') {
      const { depth, text: heading } = headingOf(block)
      const match = depth === 1 ? /^(ADR-\d{1,6})\s*[:–—-]\s*(.+)$/i.exec(heading) : null
      if (match) title ??= { id: match[1]!.toUpperCase(), title: match[2]!, titleLine: block.line }
      const below = blocks[at + 1]
      if (depth === 2 && /^status:?$/i.test(heading) && below && below.kind !== 'heading')
        found.push({ line: below.line, word: below.lines[0]! })
      else if (depth === 2 && /^status:\s*\S/i.test(heading))
        found.push({ line: block.line, word: heading.slice(heading.indexOf(':') + 1) })
    } else if (block.kind === 'item' || block.node.type === 'paragraph') {
      for (const [below, line] of block.lines.entries()) {
        const match = /^\s*(?:[-*+]\s+)?(?:\*\*status:\*\*|\*\*status\*\*:)\s*(\S.*)$/i.exec(line)
        if (match) found.push({ line: block.line + below, word: match[1]! })
      }
    }
  }
  for (const [at, line] of lines.slice(0, matter).entries()) {
    const match = /^status:\s*(\S.*)$/i.exec(line)
    if (match) found.push({ line: at + 1, word: match[1]! })
  }
  if (title === undefined)
    throw new FormatError(file, matter + 1, 'the title is missing; write # ADR-005: with its own number and a title.')
  const statuses = found.map(({ line, word }) => placed(word, line, lines[line - 1]!, file))
  const other = statuses.find(({ status }) => status !== statuses[0]!.status)
  if (other)
    throw new FormatError(
      file,
      other.at.line,
      `the status ${other.status} contradicts ${statuses[0]!.status} in line ${statuses[0]!.at.line}.`,
    )
  return { ...title, status: statuses[0]?.status ?? 'Draft', statusAt: statuses[0]?.at ?? null, text }
}

/**
 * The text of a decision with this status: only the line of the status changes. A file without one gets it below its
 * title.
 */
export const withStatus = (adr: AdrFile, status: AdrStatus, file: string): string => {
  const lines = adr.text.split('\n')
  if (adr.statusAt === null) lines.splice(adr.titleLine, 0, '', '## Status', status)
  else {
    const line = lines[adr.statusAt.line - 1]!
    lines[adr.statusAt.line - 1] = line.slice(0, adr.statusAt.from) + status + line.slice(adr.statusAt.to)
  }
  const text = lines.join('\n')
  const again = parseAdrOrUndefined(text, file)
  // The file states the status in more than one place.
  if (again?.status === status) return text
  throw new FormatError(file, adr.statusAt?.line ?? 1, 'the status is written in more than one place; keep one.')
}

const parseAdrOrUndefined = (text: string, file: string): AdrFile | undefined => {
  try {
    return parseAdr(text, file)
  } catch {
    return undefined
  }
}

/** The number of lines of YAML between two `---` at the start. */
const frontMatter = (lines: readonly string[]): number =>
  lines[0]?.trimEnd() === '---' ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---') + 1 : 0

interface Placed {
  readonly status: AdrStatus
  readonly at: { readonly line: number; readonly from: number; readonly to: number }
}

const placed = (word: string, line: number, source: string, file: string): Placed => {
  const said = /[A-Za-z]+/.exec(word)?.[0] ?? ''
  const status = statusOf(said)
  if (status === undefined)
    throw new FormatError(
      file,
      line,
      `${shown(plainWord(word.trim()))} is not a status; write Draft, Accepted or Superseded.`,
    )
  const from = source.lastIndexOf(word) + word.indexOf(said)
  return { status, at: { line, from, to: from + said.length } }
}

/** The status for a word, ignoring case. */
export const statusOf = (word: string): AdrStatus | undefined => {
  const said = word.trim().toLowerCase()
  return said === 'proposed' ? 'Draft' : adrStatuses.find((one) => one.toLowerCase() === said)
}
