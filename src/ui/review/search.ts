import type { DiffIndex } from '../../domain/unified-diff.ts'
import type { Desk } from '../desk.ts'
import { keyed } from '../key-names.ts'
import { sheetHeight } from '../movement.ts'
import { close } from '../overlays.ts'
import { looking } from '../state.ts'
import { goToPlace } from './movement.ts'
import { rowsOf } from './text-rows.ts'
import { leadOf } from './file-lines.ts'
import { diffOf, type LoadedReview, type Place } from './state.ts'
import { type ApprovalOverlay, approvalIn, reviewOf } from './window.ts'
import { widthIn } from '../detail-lines.ts'
import { reviewRefusals, searchText } from '../../text/review.ts'

/** Enter behind `/`: looks for what was typed, or once more for what was sought before. */
export const find = (desk: Desk): void => {
  const { overlay } = desk.state().view
  if (overlay?.kind !== 'search') return
  const { text } = overlay
  desk.change(close)
  if (text !== '') desk.change(looking((view) => (view.overlay?.kind === 'approval' ? { overlay: { ...view.overlay, sought: text } } : {})))
  findNext(1)(desk)
}

export const findNext =
  (by: 1 | -1) =>
  (desk: Desk): void => {
    const state = desk.state()
    const overlay = approvalIn(state.view.overlay)
    const loaded = overlay && reviewOf(state, overlay.worktree)
    if (!overlay || !loaded) return desk.tell(reviewRefusals.diffIsBeingRead, 'refused')
    if (overlay.sought === '') return desk.tell(keyed(state, searchText.typeFirst), 'refused')
    const place = nextMatch(loaded, overlay, by, widthIn(state))
    if (!place) return desk.tell(searchText.notFound(overlay.sought, by === 1, unread(loaded)), 'refused')
    const file = loaded.review.files[place.file]!
    const unfolded = { ...overlay, folded: overlay.folded.filter((path) => path !== file.path) }
    desk.change((now) => goToPlace(now, unfolded, place, sheetHeight(now)))
  }

const unread = ({ review, more }: LoadedReview): number => review.files.filter((file) => file.content === 'unread' && !more.get(file.path)).length

/** The nearest place behind the cursor, or before it, where it stands in a name or in a line. */
const nextMatch = (loaded: LoadedReview, { at, sought }: ApprovalOverlay, by: 1 | -1, width: number): Place | undefined => {
  const { files } = loaded.review
  const words = sought.toLowerCase()
  for (let file = Math.max(at.file, by === 1 ? 0 : -1); file >= 0 && file < files.length; file += by) {
    const own = file === at.file
    const inName = files[file]!.path.toLowerCase().includes(words) && (!own || (by === -1 && at.line >= 0))
    if (inName && by === 1) return { file, line: -1, piece: 1 }
    const index = diffOf(loaded, files[file]!)
    const place = index ? matchIn(index, words, own ? at.line : by === 1 ? -1 : index.count, by, width) : undefined
    if (place) return { file, ...place }
    if (inName) return { file, line: -1, piece: 1 }
  }
  return undefined
}

const matchIn = (index: DiffIndex, words: string, from: number, by: 1 | -1, width: number): { line: number; piece: number } | undefined => {
  const text = lowered(index)
  // Letters whose lower case is longer would shift what is behind them; such a text is looked through as it is.
  let at = by === 1 ? (from + 1 < index.count ? text.indexOf(words, index.starts[from + 1]) : -1) : from > 0 ? text.lastIndexOf(words, index.starts[from]! - 1) : -1
  while (at !== -1) {
    const line = lineAt(index, at)
    if (line >= 0 && at >= index.starts[line]! + 1 && at < index.ends[line]!) return { line, piece: pieceAt(index, line, at, width) }
    at = by === 1 ? text.indexOf(words, at + 1) : at > 0 ? text.lastIndexOf(words, at - 1) : -1
  }
  return undefined
}

const pieceAt = (index: DiffIndex, line: number, at: number, width: number): number => {
  const room = Math.max(10, width - leadOf(index))
  const rows = rowsOf(index, room)
  const most = rows.placeOf(rows.rowOf(line, Number.MAX_SAFE_INTEGER)).piece
  return Math.min(most, Math.floor((at - index.starts[line]! - 1) / room))
}

const remembered = new WeakMap<DiffIndex, string>()

const lowered = (index: DiffIndex): string => {
  const known = remembered.get(index)
  if (known !== undefined) return known
  const lower = index.text.toLowerCase()
  const text = lower.length === index.text.length ? lower : index.text
  remembered.set(index, text)
  return text
}

const lineAt = ({ starts, count }: DiffIndex, place: number): number => {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >> 1
    if (starts[middle]! <= place) low = middle + 1
    else high = middle
  }
  return low - 1
}
