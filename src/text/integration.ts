import { commonText } from './common.ts'

// `{reject}` and similar placeholders become the key of that row.

/** The answers of the review, by the state of the integration. */
export const approvalAnswers = {
  none: 'requested…',
  read: `reading only; {integrate} requests an integration   {comment} comment   ${commonText.back}`,
  requested: 'merging…',
  verifying: 'verifying the merge…',
  ready: `y approve exactly these commits   {reject} reject   {comment} comment   ${commonText.back}`,
  conflicted: `conflict: resolve it on the branch, then {integrate} to retry   {reject} reject   {comment} comment   ${commonText.back}`,
  unverified: `verification failed: fix it on the branch, then {integrate} to retry   {reject} reject   {comment} comment   ${commonText.back}`,
  approved: 'approved; waiting to merge into the target…',
  moving: 'approved; updating the target…',
  integrated: `integrated   ${commonText.back}`,
  rejected: `rejected; {integrate} requests it again   ${commonText.back}`,
} as const

export const approvalText = {
  isOnlyRead: 'No integration was requested, so there is nothing to approve. {integrate} requests one.',
  worktreeIsBuilt: (worktree: string) => `Worktree ${worktree} is still being created. Try again in a moment.`,
  diffIsBeingRead: (worktree: string) => `The diff of ${worktree} is still loading. Read it before you approve.`,
  nothingToReject: (worktree: string | null) => `${worktree ?? 'It'} has no open integration to reject.`,
  did: 'approved',
  askedFor: 'requested',
  isReady: (worktree: string) => `${worktree} is ready for your approval.`,
  isUnverified: (worktree: string) => `The verification of ${worktree} failed. Fix it before you approve.`,
  conflicts: (worktree: string, target: string) =>
    `${worktree} conflicts with ${target}. Resolve it before you approve.`,
  prepares: (worktree: string, status: string) => `${worktree}: ${status}.`,
  isIn: (worktree: string, target: string) => `${worktree} is merged into ${target}.`,
  isApproved: (worktree: string, target: string | null) =>
    `${worktree} is approved; it merges next into ${target ?? commonText.itsTarget}.`,
} as const

/** The revert of an integration. */
export const undoText = {
  isReady: (worktree: string) => `${worktree} has the revert. Review and approve it.`,
  isMade: (worktree: string) => `Preparing the revert in ${worktree}.`,
} as const

/** The conflict radar. */
export const radarText = {
  title: 'Conflict radar',
  about: (words: string) => `Conflict radar: ${words}`,
  looking: 'Checking…',
  nothingToCompare: 'No worktrees to compare.',
  legend: [
    'C conflict   U conflict with uncommitted changes',
    '? not comparable   · no conflict   – itself   T target',
  ],
  order: 'Suggested merge order',
  nothingToLand: 'Nothing to merge.',
  remark: 'Radar',
  buildsOn: (worktree: string, others: readonly string[]) =>
    `Tasks of ${worktree} depend on ${others.join(', ')}, which is not merged yet.`,
  mark: (cannotMerge: boolean, other: string, more: number) =>
    `${cannotMerge ? 'cannot merge' : 'conflicts'} with ${other}${more > 0 ? ` +${more}` : ''}`,
  pair: (cannotMerge: boolean, other: string) => `${cannotMerge ? 'Cannot merge' : 'Conflicts'} with ${other}`,
  uncommitted: 'Some changes are uncommitted.',
  mergesNow: 'They have no conflict any more. Press esc to go back.',
  mergesWith: (other: string) => `does not conflict with ${other}`,
  holdsNothing: (target: string) => `has no changes beyond ${target}`,
  moveToPair: 'Select a pair marked C, U or ?.',
  mergesByItself: (worktree: string, other: string) => `${worktree} has no conflict with ${other}.`,
  worktreeHoldsNothing: (worktree: string, target: string) => `${worktree} has no changes beyond ${target}.`,
} as const
