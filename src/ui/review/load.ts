import type { StoreApi } from 'zustand/vanilla'
import { candidateOf } from '../approval.ts'
import type { ConsoleOptions } from '../console-options.ts'
import { worktreeOf } from '../selection.ts'
import type { ConsoleState } from '../state.ts'
import { reviewArrived } from './arrivals.ts'
import { approvalIn } from './window.ts'

/** Reads the review of the worktree in the approval view, anew for each candidate. */
export const reviewLoader = ({ connection }: ConsoleOptions, store: StoreApi<ConsoleState>, careful: (work: () => Promise<void>) => () => Promise<void>) => {
  let wanted = ''
  return (): void => {
    const { view, board } = store.getState()
    const name = approvalIn(view.overlay)?.worktree
    if (name === undefined || !board.worktrees.some((worktree) => worktree.name === name && worktree.status === 'active')) {
      wanted = name === undefined ? '' : wanted
      return
    }
    const { targetOid, branchOid, mergeOid } = candidateOf(worktreeOf(store.getState(), name)?.integration) ?? {}
    const key = `${name} ${JSON.stringify([targetOid, branchOid, mergeOid])}`
    if (key === wanted) return
    wanted = key
    void careful(async () => {
      const review = await connection.outside.reviewWorktree(name)
      if (wanted === key) store.setState(reviewArrived(review), true)
    })()
  }
}
