import { candidateOf } from '../../actions/integrate.ts'
import type { Feed } from '../../core/view-row.ts'
import { worktreeOf } from '../../core/selection.ts'
import { reviewArrived } from './reducers.ts'
import { approvalIn } from './window.ts'

/** Reads the review of the worktree in the approval view, again for each candidate. */
export const startReviewFeed: Feed = ({ connection }, store, careful) => {
  let wanted = ''
  return store.subscribe(() => {
    const { view, board } = store.getState()
    const name = approvalIn(view.overlay)?.worktree
    if (
      name === undefined ||
      !board.worktrees.some((worktree) => worktree.name === name && worktree.status === 'active')
    ) {
      wanted = name === undefined ? '' : wanted
      return
    }
    const { targetOid, branchOid, mergeOid } = candidateOf(worktreeOf(store.getState(), name)?.integration) ?? {}
    // Without a merge the branch itself is shown, which agents change.
    const { ahead, behind, added, removed, dirty } = store.getState().observed[name] ?? nothingSeen
    const seen = mergeOid ? [] : [ahead, behind, added, removed, dirty]
    const key = `${name} ${JSON.stringify([targetOid, branchOid, mergeOid, ...seen])}`
    if (key === wanted) return
    wanted = key
    void careful(async () => {
      const review = await connection.outside.reviewWorktree(name)
      if (wanted === key) store.setState(reviewArrived(review), true)
    })()
  })
}

const nothingSeen = { ahead: 0, behind: 0, added: 0, removed: 0, dirty: 0 }
