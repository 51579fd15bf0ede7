import { candidateOf } from '../../actions/integration.ts'
import type { Feed } from '../../core/registry.ts'
import { reviewArrived } from './reducers.ts'
import { approvalIn, isOnlyRead } from './window.ts'

/** Reads the review of the worktree in the approval view, again for each candidate. */
export const startReviewFeed: Feed = ({ connection }, store, careful) => {
  let wanted = ''
  return store.subscribe(() => {
    const { view, board } = store.getState()
    const overlay = approvalIn(view.overlay)
    const worktree = overlay && board.worktrees.find(({ name }) => name === overlay.worktree)
    if (!worktree || worktree.status !== 'active') {
      wanted = overlay ? wanted : ''
      return
    }
    const { name } = worktree
    const isPresent = isOnlyRead(worktree, overlay)
    const merge = isPresent ? null : candidateOf(worktree.integration)
    // Without a merge the worktree itself is shown, which agents change.
    const seen: readonly unknown[] = merge ? [] : Object.values(store.getState().observed[name] ?? {})
    const { targetOid, branchOid, mergeOid } = merge ?? {}
    const key = `${name} ${JSON.stringify([isPresent, targetOid, branchOid, mergeOid, ...seen])}`
    if (key === wanted) return
    wanted = key
    void careful(async () => {
      const { outside } = connection
      const review = await (isPresent ? outside.presentWorktree(name) : outside.reviewWorktree(name))
      if (wanted === key) store.setState(reviewArrived(review), true)
    })()
  })
}
