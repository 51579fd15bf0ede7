import { commonText, counts } from './common.ts'

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
