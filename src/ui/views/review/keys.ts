import type { Review } from '../../../contracts/review.ts'
import { safeLines } from '../../../domain/words/safe-text.ts'
import { type DiffIndex, hunkOf, neighbourHunk } from '../../../domain/words/unified-diff.ts'
import { outputText, reviewRefusals, viewedText } from '../../../text/integration.ts'
import type { Controller } from '../../core/controller.ts'
import { open } from '../../core/overlays.ts'
import { worktreeOf } from '../../core/selection.ts'
import { changingView, type ConsoleState, type Transition } from '../../core/state.ts'
import { keyed } from '../../keys/bindings.ts'
import { sheetHeight } from '../../panes/movement.ts'
import { rowOfError } from './output.ts'
import {
  approvalIn,
  type ApprovalOverlay,
  go,
  goToPlace,
  NO_LINE,
  NOT_READ,
  reviewDocument,
  reviewIn,
  reviewOf,
} from './review.ts'
import { diffOf, keepViewed, markOf, viewedIn } from './state.ts'

// Key handlers of a review, and the reasons why they are unavailable.

export const whyNotFold = (state: ConsoleState): string | undefined =>
  reviewIn(state) ? (fileUnder(state) === undefined ? NO_LINE : undefined) : NOT_READ

/** Folds or opens the selected file; from the list of files it moves to the file. A large file is read now. */
export const fold = (controller: Controller): void => {
  const state = controller.state()
  const overlay = approvalIn(state.view.overlay)!
  const number = fileUnder(state)!
  const title = { file: number, line: -1, piece: 1 }
  if (overlay.at.file === -1) return controller.change((now) => goToPlace(now, overlay, title, sheetHeight(now)))
  const loaded = reviewIn(state)!
  const file = loaded.review.files[number]!
  if (diffOf(loaded, file) === undefined) return readLarge(controller, overlay, number)
  const folded = overlay.folded.includes(file.path)
    ? overlay.folded.filter((path) => path !== file.path)
    : [...overlay.folded, file.path]
  controller.change((now) => goToPlace(now, { ...overlay, folded }, title, sheetHeight(now)))
}

/** The file of the cursor, or the one to which the line leads. */
const fileUnder = (state: ConsoleState): number | undefined => {
  const overlay = approvalIn(state.view.overlay)
  if (!overlay) return undefined
  return overlay.at.file >= 0 ? overlay.at.file : reviewDocument(state, overlay)?.head[overlay.at.line]?.file
}

const readLarge = (controller: Controller, overlay: ApprovalOverlay, number: number): void => {
  const { review } = reviewOf(controller.state(), overlay.worktree)!
  const file = review.files[number]!
  controller.change(fileArrived(review, file.path, null))
  controller.connection.outside.readReviewFile(review, file).then(
    (index) => controller.change(fileArrived(review, file.path, index)),
    (error: unknown) => {
      controller.change(fileArrived(review, file.path, undefined))
      controller.tell(error instanceof Error ? error.message : String(error), 'refused')
    },
  )
}

/** The lines of a large file; null while they are being read, undefined if that failed. */
const fileArrived =
  (review: Review, path: string, index: DiffIndex | null | undefined): Transition =>
  (state) => {
    if (state.review?.review !== review) return state
    const more = new Map(state.review.more)
    if (index === undefined) more.delete(path)
    else more.set(path, index)
    return { ...state, review: { review, more } }
  }

export const whyNotOutput = (state: ConsoleState): string | undefined => {
  const overlay = approvalIn(state.view.overlay)
  const verification = overlay && worktreeOf(state, overlay.worktree)?.integration?.verification
  return verification ? undefined : outputText.nothing
}

/** Opens the complete output of the verification. */
export const openOutput = (controller: Controller): void => {
  const { worktree } = approvalIn(controller.state().view.overlay)!
  controller.change((state) => open({ kind: 'verification', worktree, top: 0 })({ ...state, output: null }))
  controller.connection.outside.readVerification(worktree).then(
    ({ text, size }) => controller.change(outputArrived(worktree, text, size)),
    (error: unknown) => controller.tell(error instanceof Error ? error.message : String(error), 'refused'),
  )
}

const outputArrived =
  (worktree: string, text: string, size: number): Transition =>
  (state) => {
    const failed = (worktreeOf(state, worktree)?.integration?.verification?.exitCode ?? 0) !== 0
    const left = Math.max(0, size - Buffer.byteLength(text))
    const output = { worktree, lines: safeLines(text.trimEnd()), failed, left }
    const { overlay } = state.view
    const next = { ...state, output }
    if (!failed || overlay?.kind !== 'verification' || overlay.top !== 0) return next
    return changingView(() => ({ overlay: { ...overlay, top: rowOfError(next, output) } }))(next)
  }

export const openSearch = (controller: Controller): void =>
  controller.change(changingView((view) => ({ overlay: { kind: 'search', text: '', behind: view.overlay } })))

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

const fileAt = (state: ConsoleState): number | undefined => {
  const overlay = approvalIn(state.view.overlay)
  if (!overlay || !reviewOf(state, overlay.worktree)) return undefined
  return overlay.at.file >= 0 ? overlay.at.file : reviewDocument(state, overlay)?.head[overlay.at.line]?.file
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
