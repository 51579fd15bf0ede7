import type { Line } from '../../../../components/Lines.tsx'
import { fold } from '../../../../components/base/fit.ts'
import { riskLooks } from '../../../../components/base/look.ts'
import type { ReviewFile } from '../../../contracts/review.ts'
import { bytes } from '../../../domain/words/counts.ts'
import { ours, type SafeText, spelledOut } from '../../../domain/words/safe-text.ts'
import { contentOf, type DiffIndex, kindOf } from '../../../domain/words/unified-diff.ts'
import { fileText, viewedText } from '../../../text/integration.ts'
import type { ViewedFiles } from '../../core/console-memory.ts'
import type { ConsoleState } from '../../core/state.ts'
import { keyed } from '../../keys/bindings.ts'
import { breaksIn, rowsOf } from './diff-layout.ts'
import { type Drawn, roomFor, signs, textLine } from './diff-lines.ts'
import { type RowStyle, styleFor } from './reading.ts'
import { type Comment, diffOf, type LoadedReview, markOf, type Place, type ViewedMark } from './state.ts'

/** A review as rows of a view. A row is created when it becomes visible. */
export interface Document {
  readonly total: number
  readonly line: (row: number) => Line
  readonly placeOf: (row: number) => Place
  /** The row of a place, or of its file if that is folded. */
  readonly rowOf: (place: Place) => number
  /** Rows before the first file. */
  readonly head: readonly HeadLine[]
}

/** A line before the diff; some lead to a file, or are a comment. */
export interface HeadLine extends Line {
  readonly file?: number
  readonly comment?: number
}

export const documentOf = (shown: Shown): Document => {
  const { loaded, head } = shown
  const blocks: Block[] = []
  for (const file of loaded?.review.files ?? []) {
    const before = blocks.at(-1)
    blocks.push(blockOf(shown, loaded!, file, before ? before.start + before.total : head.length))
  }
  const total = blocks.length === 0 ? head.length : blocks.at(-1)!.start + blocks.at(-1)!.total
  const fileAt = (row: number): number => lastBlock(blocks, row)
  return {
    total,
    head,
    line: (row) => (row < head.length ? head[row]! : lineIn(blocks[fileAt(row)]!, row)),
    placeOf: (row) =>
      row < head.length || blocks.length === 0
        ? { file: -1, line: Math.max(0, Math.min(row, head.length - 1)), piece: 0 }
        : placeIn(blocks, fileAt(row), row),
    rowOf: (place) => {
      const block = blocks[place.file]
      return block ? rowIn(block, place) : Math.max(0, Math.min(place.line, head.length - 1))
    },
  }
}

const lastBlock = (blocks: readonly Block[], row: number): number => {
  let [low, high] = [0, blocks.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (blocks[middle]!.start <= row) low = middle
    else high = middle - 1
  }
  return low
}

// A file of the review as a block of rows, and the places in it.

export interface Shown {
  readonly loaded: LoadedReview | null
  readonly head: readonly HeadLine[]
  /** Paths of the folded files. */
  readonly folded: readonly string[]
  readonly comments: readonly Comment[]
  readonly width: number
  readonly style: RowStyle
  readonly viewed: ViewedFiles
  /** The bindings of keys. */
  readonly state: Pick<ConsoleState, 'preferences' | 'table'>
}

/** A file: its title, its comments, its lines with theirs. */
interface Block {
  readonly start: number
  readonly total: number
  readonly title: readonly Line[]
  /** The content below the title: one line instead of the diff, or none. */
  readonly instead: Line | undefined
  readonly drawn: Drawn | undefined
  /** Comments in their order, each with the number of diff rows before it. */
  readonly inserts: readonly { readonly comment: Comment; readonly after: number; readonly lines: readonly Line[] }[]
}

const blockOf = (
  { folded, comments, width, state, style: chosen, viewed }: Shown,
  loaded: LoadedReview,
  file: ReviewFile,
  start: number,
): Block => {
  const style = styleFor(chosen, file)
  const found = diffOf(loaded, file)
  const isFolded = folded.includes(file.path)
  const title = [{ text: ours('') }, ...titleLines(file, isFolded, width, markOf(viewed, file))]
  const instead = isFolded ? undefined : absence(state, file, found)
  const index = isFolded || !found || instead ? undefined : found
  const lead = index ? leadOf(index) : 4
  const room = roomFor(lead, width, style.isSplit)
  const text = index && rowsOf(index, room, style)
  const drawn = index && text && { index, rows: text, lead, room, wraps: style.wraps }
  const own = isFolded
    ? []
    : comments.filter((comment) => comment.path === file.path && comment.to === loaded.review.to)
  const inserts = own
    .map((comment) => ({
      comment,
      lines: commentLines(comment, lead, width),
      after: text && comment.at >= 0 ? text.rowOf(comment.at, Number.MAX_SAFE_INTEGER) + 1 : 0,
    }))
    .sort((a, b) => a.after - b.after || a.comment.id - b.comment.id)
  const total =
    title.length + (instead ? 1 : 0) + (text?.total ?? 0) + inserts.reduce((sum, { lines }) => sum + lines.length, 0)
  return { start, total, title, instead, drawn, inserts }
}

/** The content of a row below the title: a row of the diff, or a row of a comment. */
const below = (
  { inserts }: Block,
  row: number,
): { readonly text: number } | { readonly comment: Comment; readonly line: Line } => {
  let shift = 0
  for (const { comment, after, lines } of inserts) {
    if (row < after + shift) break
    const line = lines[row - after - shift]
    if (line) return { comment, line }
    shift += lines.length
  }
  return { text: row - shift }
}

const lineIn = (block: Block, row: number): Line => {
  const local = row - block.start
  const title = block.title[local]
  if (title) return title
  const there = below(block, local - block.title.length)
  if ('line' in there) return there.line
  if (!block.drawn) return block.instead ?? { text: ours('') }
  const { line, piece } = block.drawn.rows.placeOf(there.text)
  return textLine(block.drawn, line, piece)
}

const placeIn = (blocks: readonly Block[], file: number, row: number): Place => {
  const block = blocks[file]!
  const local = row - block.start
  if (local < block.title.length) return { file, line: -1, piece: local }
  const there = below(block, local - block.title.length)
  if ('comment' in there) return { file, line: there.comment.at, piece: 0, comment: there.comment.id }
  return { file, ...(block.drawn ? block.drawn.rows.placeOf(there.text) : { line: 0, piece: 0 }) }
}

const rowIn = (block: Block, { line, piece, comment }: Place): number => {
  const behindTitle = block.start + block.title.length
  const rowsBefore = (after: number): number =>
    block.inserts.reduce((sum, insert) => (insert.after <= after ? sum + insert.lines.length : sum), 0)
  if (comment !== undefined) {
    const at = block.inserts.findIndex((insert) => insert.comment.id === comment)
    if (at !== -1)
      return (
        behindTitle +
        block.inserts[at]!.after +
        block.inserts.slice(0, at).reduce((sum, { lines }) => sum + lines.length, 0)
      )
  }
  // The first line of a title is empty and separates files.
  if (line === -1) return block.start + Math.min(Math.max(1, piece), block.title.length - 1)
  if (!block.drawn) return block.instead ? behindTitle : block.start + 1
  const { index, rows } = block.drawn
  const row = rows.rowOf(Math.min(line, index.count - 1), piece)
  return behindTitle + row + rowsBefore(row)
}

// The rows of one file: its name and facts, its lines, and the comments on them.

/** Columns before the text of a line: its number, its sign. */
export const leadOf = (index: DiffIndex): number =>
  Math.max(3, String(index.numbers.reduce((most, number) => Math.max(most, number), 0)).length) + 2

/** A complete name, with special characters spelt out. */
export const nameOf = (path: string): string => spelledOut(path).join('⟨000A⟩')

/** Its name, its size and its risks. */
const titleLines = (file: ReviewFile, folded: boolean, width: number, mark: ViewedMark): readonly Line[] => {
  const seen = { viewed: `   ✓ ${viewedText.isViewed}`, changed: `   ↻ ${viewedText.hasChanged}`, unread: '' }[mark]
  const title = `${folded ? '▸' : '▾'} ${nameOf(file.path)}   ${sizeOf(file)}${changeOf(file)}${seen}${folded ? `   ${fileText.folded}` : ''}`
  return [
    ...pieces(title, width).map((text): Line => ({ text, bold: true, colour: 'cyan' })),
    ...reasonLines(file, width),
  ]
}

/** The reasons to review it, in words. */
export const reasonLines = ({ risks }: Pick<ReviewFile, 'risks'>, width: number, indent = 2): readonly Line[] =>
  risks.flatMap((risk) => {
    const { mark, word, colour } = riskLooks[risk.kind]
    return fold(ours(`${mark} ${word}: ${spelledOut(risk.reason).join(' ')}`), width - indent - 2).map((text, n) => ({
      text: ours(`${' '.repeat(n === 0 ? indent : indent + 2)}${text}`),
      colour,
    }))
  })

export const sizeOf = ({ added, removed, content, size }: ReviewFile): string =>
  added === null
    ? `${content === 'unread' ? fileText.notRead : fileText.binary}, ${bytes(size)}`
    : `+${added} −${removed ?? 0}`

const changeOf = ({ change, from, oldMode, newMode, isUncommitted }: ReviewFile): string => {
  const words = [
    ...(change === 'modified'
      ? []
      : [from === null ? fileText.changes[change] : `${fileText.changes[change]} ${nameOf(from)}`]),
    ...(oldMode !== newMode && oldMode !== NONE && newMode !== NONE ? [fileText.mode(oldMode, newMode)] : []),
    ...(isUncommitted ? [fileText.notCommitted] : []),
  ]
  return words.length === 0 ? '' : `   ${words.join(', ')}`
}

const NONE = '000000'

/** The line shown if there are no lines of the diff. */
const absence = (
  state: Pick<ConsoleState, 'preferences' | 'table'>,
  file: ReviewFile,
  index: DiffIndex | null | undefined,
): Line | undefined => {
  if (index === undefined) return { text: ours(`  ${keyed(state, fileText.large)}`), dim: true }
  if (index === null) return { text: ours(`  ${fileText.isBeingRead}`), dim: true }
  if (index.binary)
    return {
      text: ours(`  ${fileText.binaryChange(file.oldOid.slice(0, 12), file.newOid.slice(0, 12), bytes(file.size))}`),
      dim: true,
    }
  return index.count === 0 ? { text: ours(`  ${fileText.noLineChanges}`), dim: true } : undefined
}

/** A comment below its line. */
const commentLines = (comment: Comment, lead: number, width: number): readonly Line[] =>
  pieces(comment.text, Math.max(10, width - lead - 4)).map((text, n) => ({
    text: ours(`${' '.repeat(lead)}${n === 0 ? '✎ ' : '  '}${text}`),
    colour: 'yellow',
    bold: true,
  }))

export const pieces = (text: string, width: number): readonly SafeText[] =>
  spelledOut(text).flatMap((line) => {
    const starts = breaksIn(line, Math.max(1, width))
    return starts.map((start, n) => ours(line.slice(start, starts[n + 1] ?? line.length)))
  })

/** The lines of a diff around one of them, with their signs, for an agent. */
export const quoteOf = (index: DiffIndex, line: number): readonly string[] => {
  const first = Math.max(0, line - 3)
  const shown = Array.from({ length: Math.min(index.count, line + 4) - first }, (_, n) => first + n)
  return shown.map((one) => cut(`${signs[kindOf(index, one)]}${spelledOut(contentOf(index, one).slice(0, 600))[0]}`))
}

const cut = (text: string): string => (text.length > 480 ? `${text.slice(0, 479)}…` : text)
