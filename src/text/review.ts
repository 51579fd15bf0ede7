import { commonText, counts } from './common.ts'

// `{fold}` and the like stand for the key of that row.

/** The view in which a worktree is looked at before it lands. */
export const reviewText = {
  title: (worktree: string, branch: string, target: string | null) => `Integrate ${worktree} (${branch}) into ${target ?? commonText.itsTarget}`,
  diffIsBeingRead: 'the diff is being read…',
  madeAnew: (worktree: string) => `The merge of ${worktree} was made anew; read it again.`,
  noMergeYet: (branch: string, target: string) => `there is no merge yet: what ${branch} has changed since it left ${target}`,
  merge: (target: string, branch: string, merge: string) => `${target} (target) + ${branch} (branch) → ${merge}`,
  commits: 'commits',
  requestedBy: 'requested by',
  stops: 'stops',
  noAgent: 'no agent',
  problem: 'Problem',
  conflicts: 'Conflicts',
  radar: 'Conflict radar',
  diff: 'Diff',
  nothingDiffers: 'nothing differs',
  totals: (files: number, added: number, removed: number, commits: number, unseen: number) =>
    `${counts.files(files)}  +${added} −${removed}  ${counts.commits(commits)}${unseen > 0 ? `  ${unseen} without lines` : ''}`,
  nothingStandsOut: 'no file stands out by its name or its content',
  worthALook: (files: number, kinds: readonly string[]) => `${counts.files(files)} worth a look: ${kinds.join(', ')}`,
  files: (n: number) => `Files (${n})`,
  unmarked: (n: number) => `… and ${counts.files(n)} that do not stand out; all are below`,
  commitList: (n: number) => `Commits (${n})`,
  uncommitted: (n: number) => `Uncommitted in the worktree: would not go in (${n})`,
} as const

/** A file of the diff. */
export const fileText = {
  folded: 'folded',
  notRead: 'not read',
  binary: 'binary',
  mode: (old: string, next: string) => `mode ${old} → ${next}`,
  changes: {
    added: 'new',
    deleted: 'deleted',
    modified: 'changed',
    renamed: 'renamed from',
    copied: 'copied from',
    retyped: 'another type',
  },
  large: 'It is large, so it was not read yet; {fold} reads it.',
  isBeingRead: commonText.itIsBeingRead,
  binaryChange: (old: string, next: string, size: string) => `Binary: ${old} → ${next}, ${size}.`,
  noLineChanges: 'None of its lines changes.',
} as const

/** What is known of the work besides its lines. */
export const knownText = {
  notVerified: 'Not verified',
  noCommand: 'The target has no verification command (integration.verify).',
  command: 'command',
  exitCode: 'exit code',
  ended: (code: number | null, at: string, took: string) => `${code ?? commonText.endedBySignal}, at ${at}, took ${took} ({output} shows all that it printed)`,
  saidAndFound: 'Said, and found',
  claim: (taskId: number, says: string) => `task ${taskId}: ${says}`,
} as const

export const verifiedHeading = (passed: boolean): string => (passed ? 'Verified ✓' : 'Verification failed ✗')

/** All that a verification printed. */
export const outputText = {
  title: (worktree: string) => `What the verification of ${worktree} printed`,
  isBeingRead: commonText.itIsBeingRead,
  before: (bytes: number) => `… ${bytes} bytes before this are not shown`,
  nothing: 'Nothing was verified, so there is no output.',
} as const

/** Remarks on a diff. */
export const commentText = {
  title: (place: string) => `Comment on ${place}`,
  label: 'Comment',
  hint: 'what should be otherwise, and why',
  removed: '(removed)',
  noted: 'The comment is noted; {send} sends all of them.',
  takenBack: 'The comment is taken back.',
  list: (n: number) => `Your comments (${n}): {send} sends them, {uncomment} takes one back`,
  onEarlierMerge: '(on an earlier merge)',
  sends: (n: number, worktree: string, target: string | null) =>
    `Puts one task with ${n === 1 ? 'your comment' : `your ${counts.comments(n)}`} on the board for worktree ${worktree}${target === null ? '' : ` and rejects its integration into ${target}`}:`,
  sent: (task: number, persona: string, worktree: string, held: string | null) =>
    `Task ${task} asks ${persona} for the changes in ${worktree}.${held === null ? '' : ` It cannot start: ${held}`}`,
  needsWords: 'A comment needs words.',
} as const

/** Why a letter does nothing here. */
export const reviewRefusals = {
  diffIsBeingRead: 'The diff is still being read.',
  noLine: 'Go to a line of the diff, or to the name of a file; {next-file} goes to the next file.',
  noComment: 'Go to one of your comments; they are listed before the files.',
  tooLate: (worktree: string) => `${worktree} is approved; it is too late for comments.`,
  nothingToSend: 'There is no comment to send; {comment} writes one.',
} as const

/** Words that are looked for in a diff. */
export const searchText = {
  typeFirst: 'Type what to look for behind {search}.',
  notFound: (words: string, forwards: boolean, unread: number) => `“${words}” is ${forwards ? 'not found from here on' : 'not found before here'}${unreadFiles(unread)}.`,
} as const

const unreadFiles = (n: number): string => (n === 0 ? '' : `; ${n} large ${n === 1 ? 'file was' : 'files were'} not read`)
