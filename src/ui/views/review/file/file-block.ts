import { ours } from '../../../../domain/words/safe-text.ts'
import type { ReviewFile } from '../../../../contracts/review.ts'
import type { Line } from '../../../../../components/Lines.tsx'
import { absence, commentLines, leadOf, titleLines } from './file-lines.ts'
import { type RowStyle, styleFor } from './row-style.ts'
import { type Drawn, roomFor, textLine } from './text-line.ts'
import type { HeadLine } from '../head/head.ts'
import type { ConsoleState } from '../../../core/state.ts'
import { type Comment, diffOf, type LoadedReview, type Place } from '../state.ts'
import { markOf } from '../viewed/viewed.ts'
import type { ViewedFiles } from '../../../core/console-memory.ts'
import { rowsOf } from './text-rows.ts'

// The rows of one file in a review.

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
export interface Block {
  readonly start: number
  readonly total: number
  readonly title: readonly Line[]
  /** The content below the title: one line instead of the diff, or none. */
  readonly instead: Line | undefined
  readonly drawn: Drawn | undefined
  /** Comments in their order, each with the number of diff rows before it. */
  readonly inserts: readonly { readonly comment: Comment; readonly after: number; readonly lines: readonly Line[] }[]
}

export const blockOf = (
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

export const lineIn = (block: Block, row: number): Line => {
  const local = row - block.start
  const title = block.title[local]
  if (title) return title
  const there = below(block, local - block.title.length)
  if ('line' in there) return there.line
  if (!block.drawn) return block.instead ?? { text: ours('') }
  const { line, piece } = block.drawn.rows.placeOf(there.text)
  return textLine(block.drawn, line, piece)
}

export const placeIn = (blocks: readonly Block[], file: number, row: number): Place => {
  const block = blocks[file]!
  const local = row - block.start
  if (local < block.title.length) return { file, line: -1, piece: local }
  const there = below(block, local - block.title.length)
  if ('comment' in there) return { file, line: there.comment.at, piece: 0, comment: there.comment.id }
  return { file, ...(block.drawn ? block.drawn.rows.placeOf(there.text) : { line: 0, piece: 0 }) }
}

export const rowIn = (block: Block, { line, piece, comment }: Place): number => {
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
