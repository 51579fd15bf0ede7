import { commonText } from './common.ts'

// `{reject}` and the like stand for the key of that row of the key table.

/** What the keys do before an integration, by its state. */
export const approvalAnswers = {
  none: 'asked for; being prepared…',
  requested: 'being prepared…  the merge is made',
  verifying: 'being prepared…  the merge is verified',
  ready: `y approves exactly these commits   {reject} rejects   {comment} comments   ${commonText.back}`,
  conflicted: `it conflicts with its target; resolve it on the branch, then {integrate} asks again   {reject} rejects   {comment} comments   ${commonText.back}`,
  unverified: `its verification failed; repair it on the branch, then {integrate} asks again   {reject} rejects   {comment} comments   ${commonText.back}`,
  approved: 'approved; it is being let in…',
  moving: 'approved; it is being let in…',
  integrated: `integrated   ${commonText.back}`,
  rejected: `rejected; {integrate} asks again   ${commonText.back}`,
} as const

export const approvalText = {
  worktreeIsBuilt: (worktree: string) => `Worktree ${worktree} is still being built; try again in a moment.`,
  diffIsBeingRead: (worktree: string) => `The diff of ${worktree} is still being read; approve what you have seen.`,
  nothingToReject: (worktree: string | null) => `There is no open integration of ${worktree ?? 'it'} that could be rejected.`,
  did: 'approved',
  askedFor: 'asked for',
  isReady: (worktree: string) => `${worktree} is ready for your word.`,
  isUnverified: (worktree: string) => `The verification of ${worktree} failed; nothing can be approved yet.`,
  conflicts: (worktree: string, target: string) => `${worktree} conflicts with ${target}; nothing can be approved yet.`,
  prepares: (worktree: string, status: string) => `${worktree}: ${status}.`,
  isIn: (worktree: string, target: string) => `${worktree} is in ${target}.`,
  isApproved: (worktree: string, target: string | null) => `${worktree} is approved and goes into ${target ?? commonText.itsTarget}.`,
} as const

/** The revert of an integration. */
export const undoText = {
  isReady: (worktree: string) => `${worktree} takes it back; look at it and approve it.`,
  isMade: (worktree: string) => `${worktree} holds the revert; it is being prepared.`,
} as const

/** Which worktrees conflict with which. */
export const radarText = {
  title: 'Conflict radar',
  about: (words: string) => `Conflict radar: ${words}`,
  looking: 'Looking…',
  nothingToCompare: 'There are no worktrees to compare.',
  legend: ['C conflicts   U conflicts, and not all is committed', '? cannot be compared   · merges   – itself   T its target'],
  order: 'Suggested landing order',
  nothingToLand: 'Nothing is there to land.',
  remark: 'Radar',
  buildsOn: (worktree: string, others: readonly string[]) => `Tasks of ${worktree} build on ${others.join(', ')}, which has not landed.`,
  mark: (cannotMerge: boolean, other: string, more: number) => `${cannotMerge ? 'cannot merge' : 'conflicts'} with ${other}${more > 0 ? ` +${more}` : ''}`,
  pair: (cannotMerge: boolean, other: string) => `${cannotMerge ? 'Cannot be merged' : 'Conflicts'} with ${other}`,
  uncommitted: 'Some of it is not committed yet.',
  mergesNow: 'They merge by themselves now; esc goes back.',
  mergesWith: (other: string) => `merges with ${other}`,
  holdsNothing: (target: string) => `holds nothing that ${target} lacks`,
  moveToPair: 'Move to a pair; C, U and ? mark those that do not merge.',
  mergesByItself: (worktree: string, other: string) => `${worktree} merges with ${other} by itself.`,
  worktreeHoldsNothing: (worktree: string, target: string) => `${worktree} holds nothing that ${target} lacks.`,
} as const
