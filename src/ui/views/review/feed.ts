import type { Review } from '../../../contracts/review.ts'
import type { DiffIndex } from '../../../domain/words/unified-diff.ts'
import { reviewText } from '../../../text/integration.ts'
import { candidateOf, START } from '../../actions/integration.ts'
import { noticed } from '../../core/reducers.ts'
import type { Feed } from '../../core/registry.ts'
import { changingView, type ConsoleState, type Transition } from '../../core/state.ts'
import { startColours } from './colours.ts'
import { approvalIn, isOnlyRead } from './review.ts'
import type { Place } from './state.ts'

/** Reads the review that is open, and then the colours of its lines. */
export const startReviewFeeds: Feed = (...options) => {
  const stops = [startReviewFeed(...options), startColours(...options)]
  return () => stops.forEach((stop) => stop())
}

/** Milliseconds until a review that could not be read is read again. */
const AGAIN = 1000

/** Reads the review of the worktree in the approval view, again for each candidate and after a failure. */
const startReviewFeed: Feed = ({ connection: { outside } }, store, careful) => {
  let wanted = ''
  let again: NodeJS.Timeout | undefined
  // Another review is read at once, whatever is still being read.
  const read = careful(async () => {
    const of = wantedIn(store.getState())
    if (of === undefined) return
    const { key, name, isPresent } = of
    const review = await (isPresent ? outside.presentWorktree(name) : outside.reviewWorktree(name))
    if (wanted === key) store.setState(reviewArrived(review), true)
  })
  const look = (): void => {
    const state = store.getState()
    const of = wantedIn(state)
    if (of === undefined) {
      wanted = approvalIn(state.view.overlay) ? wanted : ''
      return
    }
    const { key } = of
    if (key === wanted) return
    wanted = key
    void read().then((isRead) => {
      if (isRead || wanted !== key) return
      clearTimeout(again)
      again = setTimeout(() => {
        if (wanted === key) wanted = ''
        look()
      }, AGAIN)
    })
  }
  const end = store.subscribe(look)
  return () => {
    end()
    clearTimeout(again)
  }
}

/** The review that is to be shown, and what it depends on as a key. */
const wantedIn = ({ view, board, observed }: ConsoleState) => {
  const overlay = approvalIn(view.overlay)
  const worktree = overlay && board.worktrees.find(({ name }) => name === overlay.worktree)
  if (!worktree || worktree.status !== 'active') return undefined
  const { name } = worktree
  const isPresent = isOnlyRead(worktree, overlay)
  const merge = isPresent ? null : candidateOf(worktree.integration)
  // Without a merge the worktree itself is shown, which agents change.
  const seen: readonly unknown[] = merge ? [] : Object.values(observed[name] ?? {})
  const { targetOid, branchOid, mergeOid } = merge ?? {}
  return { name, isPresent, key: `${name} ${JSON.stringify([isPresent, targetOid, branchOid, mergeOid, ...seen])}` }
}

// Transitions for data of a review.

/** A new review of the same worktree begins at its top, because its files may differ. */
export const reviewArrived =
  (review: Review): Transition =>
  (state) => {
    const overlay = approvalIn(state.view.overlay)
    const next = { ...state, review: { review, more: new Map<string, DiffIndex | null>() } }
    const old = state.review?.review
    if (old === undefined || old.to === review.to || !overlay || overlay !== state.view.overlay) return next
    if (old.candidate === null && review.candidate === null)
      return changingView(() => ({ overlay: { ...overlay, at: placeIn(review, old, overlay.at) } }))(next)
    const begun = changingView(() => ({ overlay: { ...overlay, at: START, offset: 0, folded: [] } }))(next)
    const replaces = old.worktree === review.worktree && old.candidate !== null && review.candidate !== null
    return replaces ? noticed(reviewText.madeAnew(review.worktree), 'told')(begun) : begun
  }

/** A place in a newer diff: the same file, at the same line if there is one. */
const placeIn = ({ files }: Review, before: Review, at: Place): Place => {
  if (at.file < 0) return at
  const file = files.findIndex(({ path }) => path === before.files[at.file]?.path)
  return file === -1 ? START : { file, line: Math.min(at.line, (files[file]!.diff?.count ?? 0) - 1), piece: 0 }
}
