import type { DiffIndex } from '../../../domain/words/unified-diff.ts'
import type { Controller } from '../../core/controller.ts'
import { keyed } from '../../keys/bindings.ts'
import { sheetHeight } from '../../panes/movement.ts'
import { close } from '../../core/overlays.ts'
import { changingView } from '../../core/state.ts'
import { approvalIn, type ApprovalOverlay, goToPlace, reviewDocument, reviewOf } from './review.ts'
import { roomFor } from './diff-lines.ts'
import { breaksIn, spelt } from './diff-layout.ts'
import { type RowStyle, styleFor, styleOf } from './reading.ts'
import { type HeadLine, leadOf } from './document.ts'
import { diffOf, type LoadedReview, type Place } from './state.ts'
import { widthIn } from '../../rows/lines.ts'
import { reviewRefusals, searchText } from '../../../text/integration.ts'

/** Enter after `/`: searches for the typed words, or again for the previous ones. */
export const find = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'search') return
  const { text } = overlay
  controller.change(close)
  if (text !== '')
    controller.change(
      changingView((view) => (view.overlay?.kind === 'approval' ? { overlay: { ...view.overlay, sought: text } } : {})),
    )
  findNext(1)(controller)
}

export const findNext =
  (by: 1 | -1) =>
  (controller: Controller): void => {
    const state = controller.state()
    const overlay = approvalIn(state.view.overlay)
    const loaded = overlay && reviewOf(state, overlay.worktree)
    if (!overlay || !loaded) return controller.tell(reviewRefusals.diffIsBeingRead, 'refused')
    if (overlay.sought === '') return controller.tell(keyed(state, searchText.typeFirst), 'refused')
    const head = reviewDocument(state, overlay)?.head ?? []
    const place = nextMatch(loaded, head, overlay, by, { width: widthIn(state), style: styleOf(state) })
    if (!place) return controller.tell(searchText.notFound(overlay.sought, by === 1, unread(loaded)), 'refused')
    const file = loaded.review.files[place.file]
    const unfolded = { ...overlay, folded: overlay.folded.filter((path) => path !== file?.path) }
    controller.change((now) => goToPlace(now, unfolded, place, sheetHeight(now)))
  }

const unread = ({ review, more }: LoadedReview): number =>
  review.files.filter((file) => file.content === 'unread' && !more.get(file.path)).length

interface Laid {
  readonly width: number
  readonly style: RowStyle
}

/** The nearest match after or before the cursor: in the facts and the list of files, in a name or in a line. */
const nextMatch = (
  loaded: LoadedReview,
  head: readonly HeadLine[],
  { at, sought }: ApprovalOverlay,
  by: 1 | -1,
  laid: Laid,
): Place | undefined => {
  const words = sought.toLowerCase()
  const inHead = (): Place | undefined => matchInHead(head, words, at.file === -1 ? at.line : head.length, by)
  const inFiles = (): Place | undefined => matchInFiles(loaded, words, at, by, laid)
  return by === -1 ? (inFiles() ?? inHead()) : ((at.file === -1 ? inHead() : undefined) ?? inFiles())
}

const matchInHead = (head: readonly HeadLine[], words: string, from: number, by: 1 | -1): Place | undefined => {
  for (let line = from + by; line >= 0 && line < head.length; line += by)
    if (head[line]!.text.toLowerCase().includes(words)) return { file: -1, line, piece: 0 }
  return undefined
}

const matchInFiles = (loaded: LoadedReview, words: string, at: Place, by: 1 | -1, laid: Laid): Place | undefined => {
  const { files } = loaded.review
  for (let file = Math.max(at.file, by === 1 ? 0 : -1); file >= 0 && file < files.length; file += by) {
    const own = file === at.file
    const inName = files[file]!.path.toLowerCase().includes(words) && (!own || (by === -1 && at.line >= 0))
    if (inName && by === 1) return { file, line: -1, piece: 1 }
    const index = diffOf(loaded, files[file]!)
    const place = index
      ? matchIn(index, words, own ? at.line : by === 1 ? -1 : index.count, by, {
          ...laid,
          style: styleFor(laid.style, files[file]!),
        })
      : undefined
    if (place) return { file, ...place }
    if (inName) return { file, line: -1, piece: 1 }
  }
  return undefined
}

const matchIn = (
  index: DiffIndex,
  words: string,
  from: number,
  by: 1 | -1,
  laid: Laid,
): { line: number; piece: number } | undefined => {
  const text = lowered(index)
  // Letters with a longer lower case would shift positions; such a text is searched unchanged.
  let at =
    by === 1
      ? from + 1 < index.count
        ? text.indexOf(words, index.starts[from + 1])
        : -1
      : from > 0
        ? text.lastIndexOf(words, index.starts[from]! - 1)
        : -1
  while (at !== -1) {
    const line = lineAt(index, at)
    if (line >= 0 && at >= index.starts[line]! + 1 && at < index.ends[line]!)
      return { line, piece: pieceAt(index, line, at, laid) }
    at = by === 1 ? text.indexOf(words, at + 1) : at > 0 ? text.lastIndexOf(words, at - 1) : -1
  }
  return undefined
}

const pieceAt = (index: DiffIndex, line: number, at: number, { width, style }: Laid): number => {
  if (!style.wraps) return 0
  const before = index.text.slice(index.starts[line]! + 1, at).replaceAll('\t', '    ').length
  const starts = breaksIn(spelt(index, line), roomFor(leadOf(index), width, style.isSplit))
  return Math.max(0, starts.filter((start) => start <= before).length - 1)
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
