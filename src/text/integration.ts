import { commonText, counts } from './common.ts'

// A worktree and its integration: details, review, approval, conflicts.

export const worktreeText = {
  title: (name: string) => `Worktree ${name}`,
  into: (target: string) => `· target ${target}`,
  folder: (status: string, folder: string) => `${status}, folder ${folder}`,
  facts: {
    host: 'host',
    branch: 'branch',
    forkedFrom: 'forked from',
    path: 'path',
    createdBy: 'created by',
    commits: 'commits',
    uncommitted: 'uncommitted',
    port: 'port',
    size: 'size',
    safeAsOf: 'safe as of',
    discarded: 'discarded',
    archive: 'archive',
  },
  distance: (ahead: number, behind: number) => `${ahead} ahead, ${behind} behind`,
  paths: counts.paths,
  atLeast: (size: string) => `at least ${size}`,
  conflicts: 'Conflicts',
  problem: 'Problem',
  radar: 'Conflict radar',
  mergesWithAll: 'no conflicts',
  mergesWithEach: 'No conflicts with the target or another worktree.',
  verification: 'Verification',
  commits: 'Commits',
  files: 'Files',
  tasks: 'Tasks',
  holdsNothing: (target: string) => `No changes that ${target} does not have.`,
  onlyNewest: (n: number) => `… only the newest ${n} are shown`,
  noFileDiffers: (target: string) => `No file differs from ${target}.`,
  onlyFirst: (n: number) => `… only the first ${n} are shown`,
  binary: 'binary',
} as const

// `{fold}` and similar placeholders become the key of that row.

/** The review of an integration. */
export const reviewText = {
  title: (worktree: string, branch: string, target: string | null) =>
    `Integrate ${worktree} (${branch}) into ${target ?? commonText.itsTarget}`,
  diffTitle: (worktree: string, branch: string) => `Diff of ${worktree} (${branch})`,
  diffIsBeingRead: 'loading the diff…',
  madeAnew: (worktree: string) => `The merge of ${worktree} was recreated. Review it again.`,
  isPresent: (branch: string, target: string) =>
    `what ${branch} holds now, compared with where it forked from ${target}`,
  notCommitted: (files: number) => `${counts.files(files)} not committed yet`,
  notInDiff: (n: number) => `Uncommitted, not in this diff (${n})`,
  noMergeYet: (branch: string, target: string) => `no merge yet: changes of ${branch} since it forked from ${target}`,
  merge: (target: string, branch: string, merge: string) => `${target} (target) + ${branch} (branch) → ${merge}`,
  commits: 'commits',
  requestedBy: 'requested by',
  stops: 'stops',
  noAgent: 'no agent',
  problem: 'Problem',
  conflicts: 'Conflicts',
  radar: 'Conflict radar',
  diff: 'Diff',
  nothingDiffers: 'no differences',
  totals: (files: number, added: number, removed: number, commits: number, unseen: number) =>
    `${counts.files(files)}  +${added} −${removed}  ${counts.commits(commits)}${unseen > 0 ? `  ${unseen} without lines` : ''}`,
  nothingStandsOut: 'no file needs special attention',
  contradicted: (n: number, { taskId, says, fact }: { taskId: number; says: string; fact: string }) =>
    `${counts.claims(n)} contradicted by the facts: task ${taskId}: ${says}, but ${fact}${n > 1 ? ` (${n - 1} more below)` : ''}`,
  worthALook: (files: number, kinds: readonly string[]) => `${counts.files(files)} to check: ${kinds.join(', ')}`,
  files: (n: number) => `Files (${n})`,
  passing: (n: number) => `Only in commits in between, not in the diff (${n})`,
  alike: (n: number, names: string) => `${counts.files(n)}: ${names}`,
  unmarked: (n: number) => `… and ${counts.files(n)} without a remark; all are below`,
  commitList: (n: number) => `Commits (${n})`,
  uncommitted: (n: number) => `Uncommitted, not part of the merge (${n})`,
} as const

/** A file of the diff. */
export const fileText = {
  folded: 'folded',
  notRead: 'not loaded',
  notCommitted: 'not committed',
  binary: 'binary',
  mode: (old: string, next: string) => `mode ${old} → ${next}`,
  changes: {
    added: 'new',
    deleted: 'deleted',
    modified: 'changed',
    renamed: 'renamed from',
    copied: 'copied from',
    retyped: 'type changed',
  },
  large: 'Large file, not loaded. {fold} loads it.',
  isBeingRead: commonText.itIsBeingRead,
  binaryChange: (old: string, next: string, size: string) => `Binary: ${old} → ${next}, ${size}.`,
  noLineChanges: 'No changed lines.',
} as const

/** Verification and claims. */
export const knownText = {
  notVerified: 'Not verified',
  noCommand: 'The target has no verification command (integration.verify).',
  command: 'command',
  exitCode: 'exit code',
  ended: (code: number | null, at: string, took: string) =>
    `${code ?? commonText.endedBySignal}, at ${at}, took ${took} ({output} shows the output)`,
  saidAndFound: 'Claims and findings',
  claim: (taskId: number, says: string) => `task ${taskId}: ${says}`,
} as const

export const verifiedHeading = (passed: boolean): string => (passed ? 'Verification passed ✓' : 'Verification failed ✗')

/** The output of a verification. */
export const outputText = {
  title: (worktree: string) => `Verification output of ${worktree}`,
  isBeingRead: commonText.itIsBeingRead,
  before: (bytes: number) => `… ${bytes} earlier bytes not shown`,
  nothing: 'No verification yet, so no output.',
} as const

/** Comments on a diff. */
export const commentText = {
  title: (place: string) => `Comment on ${place}`,
  label: 'Comment',
  hint: 'what must change, and why',
  removed: '(removed)',
  noted: 'Comment saved. {send} sends all comments.',
  withdrawn: 'Comment deleted.',
  list: (n: number) => `Your comments (${n}): {send} send, {uncomment} delete`,
  onEarlierMerge: '(on an earlier merge)',
  sends: (n: number, worktree: string, target: string | null) =>
    `Creates one task with ${n === 1 ? 'your comment' : `your ${counts.comments(n)}`} for worktree ${worktree}${target === null ? '' : ` and rejects its integration into ${target}`}:`,
  sent: (task: number, persona: string, worktree: string, held: string | null) =>
    `Created task ${task} for ${persona} in ${worktree}.${held === null ? '' : ` It cannot start: ${held}`}`,
  none: 'No comments yet. {comment} adds one.',
  needsWords: 'The comment is empty. Enter a comment.',
} as const

/** Files that were read. */
export const viewedText = {
  line: (viewed: number, changed: number, files: number) =>
    `${viewed} of ${counts.files(files)} viewed${changed === 0 ? '' : `; ${changed} of ${files} changed since you viewed ${changed === 1 ? 'it' : 'them'}`}`,
  viewed: 'Viewed. {viewed} on it marks it as not viewed.',
  unread: 'Not viewed.',
  isViewed: 'viewed',
  hasChanged: 'changed since you viewed it',
  copied: (lines: number) => `Copied ${counts.lines(lines)} to the clipboard of the terminal.`,
} as const

/** Refusals of the review. */
export const reviewRefusals = {
  diffIsBeingRead: 'The diff is still loading. Try again in a moment.',
  noLine: 'Select a line of the diff or the name of a file. {next-file} selects the next file.',
  tooNarrow: (columns: number) => `Both versions fit beside each other from ${columns} columns on.`,
  hunkTooLong: 'The hunk is too long for the clipboard of a terminal.',
  noComment: 'Select one of your comments; they are listed before the files.',
  tooLate: (worktree: string) => `${worktree} is already approved, so comments are closed.`,
  nothingToSend: 'No comments to send. {comment} adds one.',
} as const

/** The search in a diff. */
export const searchText = {
  typeFirst: 'Press {search} and type a search text first.',
  notFound: (words: string, forwards: boolean, unread: number) =>
    `“${words}” not found ${forwards ? 'after' : 'before'} this line${unreadFiles(unread)}.`,
} as const

const unreadFiles = (n: number): string =>
  n === 0 ? '' : `; ${n} large ${n === 1 ? 'file is' : 'files are'} not loaded`

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
