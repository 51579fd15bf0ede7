import { commentText, reviewRefusals, viewedText } from '../../../../text/integration.ts'
import type { Controller } from '../../../core/controller.ts'
import { type ConsoleState, changingView } from '../../../core/state.ts'
import { keyed } from '../../../keys/bindings.ts'
import { sheetHeight } from '../../../panes/movement.ts'
import { hunkOf, neighbourHunk } from '../../../../domain/words/unified-diff.ts'
import { goToPlace } from '../movement.ts'
import { diffOf, type Place } from '../state.ts'
import { type ApprovalOverlay, approvalIn, commentsOf, reviewDocument, reviewOf } from '../window.ts'
import { keepViewed, markOf, viewedIn } from './viewed.ts'

// Keys of a reader: what was read, and ways between the diff, its files and its comments.

export const whyNotViewed = (state: ConsoleState): string | undefined =>
  fileAt(state) === undefined ? reviewRefusals.noLine : undefined

/** Marks the file as read, folds it and goes to the next one that was not; again: it is unread. */
export const toggleViewed = (controller: Controller): void => {
  const state = controller.state()
  const overlay = approvalIn(state.view.overlay)!
  const { files } = reviewOf(state, overlay.worktree)!.review
  const number = fileAt(state)!
  const file = files[number]!
  const isRead = markOf(viewedIn(state, overlay.worktree), file) !== 'viewed'
  keepViewed(controller, overlay.worktree, file, isRead)
  const others = overlay.folded.filter((path) => path !== file.path)
  const folded = isRead ? [...others, file.path] : others
  controller.change((now) => {
    const viewed = viewedIn(now, overlay.worktree)
    const isLeft = (n: number): boolean => markOf(viewed, files[n]!) !== 'viewed'
    const order = files.map((_, n) => (number + n) % files.length)
    const next = isRead ? (order.find(isLeft) ?? number) : number
    return goToPlace(now, { ...overlay, folded }, { file: next, line: -1, piece: 1 }, sheetHeight(now))
  })
  controller.tell(keyed(controller.state(), isRead ? viewedText.viewed : viewedText.unread), 'done')
}

export const whyNotTree = (state: ConsoleState): string | undefined => {
  const overlay = approvalIn(state.view.overlay)
  return overlay && reviewOf(state, overlay.worktree) ? undefined : reviewRefusals.diffIsBeingRead
}

/** Goes to the file in the tree of files, and from there back to its diff. */
export const toTree = (controller: Controller): void =>
  controller.change((state) => {
    const overlay = approvalIn(state.view.overlay)!
    const { head } = reviewDocument(state, overlay)!
    const here = overlay.at.file === -1 ? head[overlay.at.line]?.file : undefined
    if (here !== undefined) return go(state, overlay, { file: here, line: -1, piece: 1 })
    const first = head.findIndex(({ file }) => file !== undefined)
    const own = head.findIndex(({ file }) => file === overlay.at.file)
    const line = own !== -1 && overlay.at.file >= 0 ? own : first
    return line === -1 ? state : go(state, overlay, { file: -1, line, piece: 0 })
  })

export const whyNotJump = (state: ConsoleState): string | undefined => {
  const overlay = approvalIn(state.view.overlay)
  if (!overlay || !reviewOf(state, overlay.worktree)) return reviewRefusals.diffIsBeingRead
  return commentsOf(state, overlay.worktree).length === 0 ? commentText.none : undefined
}

/** From a comment in the list to the line that it is about, from there back; from elsewhere to the next comment. */
export const jump = (controller: Controller): void => {
  const state = controller.state()
  const overlay = approvalIn(state.view.overlay)!
  const place = jumpFrom(state, overlay)
  if (place === undefined) return controller.tell(commentText.onEarlierMerge, 'refused')
  controller.change((now) => go(now, overlay, place))
}

const jumpFrom = (state: ConsoleState, overlay: ApprovalOverlay): Place | undefined => {
  const { review } = reviewOf(state, overlay.worktree)!
  const { head } = reviewDocument(state, overlay)!
  const { at } = overlay
  const placed = commentsOf(state, overlay.worktree).map((comment) => ({
    comment,
    file: comment.to === review.to ? review.files.findIndex(({ path }) => path === comment.path) : -1,
  }))
  const listed = at.file === -1 ? head[at.line]?.comment : undefined
  if (listed !== undefined) {
    const found = placed.find(({ comment }) => comment.id === listed)
    return found && found.file >= 0 ? { file: found.file, line: found.comment.at, piece: 0 } : undefined
  }
  const here = placed.find(
    ({ comment, file }) => file === at.file && (at.comment ?? comment.id) === comment.id && comment.at === at.line,
  )
  if (here) return { file: -1, line: head.findIndex(({ comment }) => comment === here.comment.id), piece: 0 }
  const sorted = placed.filter(({ file }) => file >= 0).sort((a, b) => a.file - b.file || a.comment.at - b.comment.at)
  const next =
    sorted.find(({ file, comment }) => file > at.file || (file === at.file && comment.at > at.line)) ?? sorted[0]
  return next && { file: next.file, line: next.comment.at, piece: 0 }
}

const go = (state: ConsoleState, overlay: ApprovalOverlay, place: Place): ConsoleState =>
  goToPlace(changingView(() => ({ overlay }))(state), overlay, place, sheetHeight(state))

/** More does not fit into one request to copy: terminals take some 100,000 bytes of base64. */
const MOST = 70_000

export const whyNotCopy = (state: ConsoleState): string | undefined => {
  const text = hunkText(state)
  if (text === undefined) return reviewRefusals.noLine
  return Buffer.byteLength(text) > MOST ? reviewRefusals.hunkTooLong : undefined
}

/** Copies the hunk under the cursor, as a part of a diff. */
export const copyHunk = (controller: Controller): void => {
  const text = hunkText(controller.state())!
  controller.copy(text)
  controller.tell(viewedText.copied(text.split('\n').length - 1), 'done')
}

const hunkText = (state: ConsoleState): string | undefined => {
  const overlay = approvalIn(state.view.overlay)
  const loaded = overlay && reviewOf(state, overlay.worktree)
  const file = loaded?.review.files[overlay!.at.file]
  const index = file && diffOf(loaded, file)
  if (!index || index.count === 0) return undefined
  const first = hunkOf(index, Math.max(0, overlay!.at.line))
  const next = neighbourHunk(index, first, 1)
  return `${index.text.slice(index.starts[first], index.ends[(next === -1 ? index.count : next) - 1])}\n`
}

const fileAt = (state: ConsoleState): number | undefined => {
  const overlay = approvalIn(state.view.overlay)
  if (!overlay || !reviewOf(state, overlay.worktree)) return undefined
  return overlay.at.file >= 0 ? overlay.at.file : reviewDocument(state, overlay)?.head[overlay.at.line]?.file
}
