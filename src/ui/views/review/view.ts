import { modeText } from '../../../text/keys.ts'
import { typingHints } from '../../../text/panes.ts'
import { integrate, readDiff, whyNotDiff, whyNotIntegrate } from '../../actions/integration.ts'
import { by, type DrawnView, type ReadView, type TypedView } from '../../core/registry.ts'
import { typedLine, typedText } from '../../keys/typing.ts'
import { sheetHeight } from '../../panes/movement.ts'
import { answerToReview, approve, isDiffOnly, reject, whyNotReject, whyNotYes } from './approval.ts'
import { comment, jump, send, uncomment, whyNotComment, whyNotJump, whyNotSend, whyNotUncomment } from './comments.ts'
import { startReviewFeeds } from './feed.ts'
import {
  copyHunk,
  fold,
  openOutput,
  openSearch,
  toggleViewed,
  toTree,
  whyNotCopy,
  whyNotFold,
  whyNotOutput,
  whyNotTree,
  whyNotViewed,
} from './keys.ts'
import { outputSheet } from './output.ts'
import * as reading from './reading.ts'
import { plainReading, type ReadingStyle } from './reading.ts'
import { moveCursor, selectInReview, toFile, toHunk } from './review.ts'
import { find, findNext } from './search.ts'
import type { ApprovalOverlay, Comment, LoadedOutput, LoadedReview } from './state.ts'

// The review of a merge or a diff, with the search in it and the output of its verification.

interface ReviewContents {
  /** The loaded review of the worktree; an approval is bound to exactly its commits. */
  readonly review: LoadedReview | null
  /** Comments on the diff of each worktree that were not submitted yet. */
  readonly comments: Readonly<Record<string, readonly Comment[]>>
  readonly output: LoadedOutput | null
  /** Grows when lines got their colours. */
  readonly coloured: number
  readonly reading: ReadingStyle
}

// prettier-ignore
export const approval: DrawnView<ApprovalOverlay, ReviewContents> = {
  kind: 'approval',
  title: modeText.approval,
  manner: 'reading',
  opens: [
    { id: 'integrate', keys: ['i'], shown: 'i', writes: true, acts: true, footer: true, blocked: whyNotIntegrate, press: integrate },
    { id: 'diff', keys: ['D'], shown: 'D', blocked: whyNotDiff, press: readDiff },
  ],
  keys: [
    { id: 'approve', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, absent: isDiffOnly, blocked: whyNotYes, press: approve },
    { id: 'reject', keys: ['n'], shown: 'n', writes: true, footer: true, absent: isDiffOnly, blocked: whyNotReject, press: reject },
    { id: 'comment', keys: ['c'], shown: 'c', footer: true, blocked: whyNotComment, press: comment },
    { id: 'uncomment', keys: ['x'], shown: 'x', blocked: whyNotUncomment, press: uncomment },
    { id: 'send', keys: ['S'], shown: 'S', writes: true, footer: true, blocked: whyNotSend, press: send },
    { id: 'next-file', keys: [']'], shown: ']', footer: true, press: by(toFile(1, sheetHeight)) },
    { id: 'previous-file', keys: ['['], shown: '[', press: by(toFile(-1, sheetHeight)) },
    { id: 'next-hunk', keys: ['}'], shown: '}', footer: true, press: by(toHunk(1, sheetHeight)) },
    { id: 'previous-hunk', keys: ['{'], shown: '{', press: by(toHunk(-1, sheetHeight)) },
    { id: 'fold', keys: ['enter', ' '], shown: 'enter', footer: true, blocked: whyNotFold, press: fold },
    { id: 'search', keys: ['/'], shown: '/', footer: true, press: openSearch },
    { id: 'next-match', keys: ['>'], shown: '>', press: findNext(1) },
    { id: 'previous-match', keys: ['<'], shown: '<', press: findNext(-1) },
    { id: 'viewed', keys: ['v'], shown: 'v', footer: true, blocked: whyNotViewed, press: toggleViewed },
    { id: 'files', keys: ['f'], shown: 'f', footer: true, blocked: whyNotTree, press: toTree },
    { id: 'jump', keys: ['m'], shown: 'm', blocked: whyNotJump, press: jump },
    { id: 'copy-hunk', keys: ['C'], shown: 'C', blocked: whyNotCopy, press: copyHunk },
    { id: 'split', keys: ['s'], shown: 's', footer: true, blocked: reading.whyNotSplit, press: by(reading.toggleSplit) },
    { id: 'wrap', keys: ['w'], shown: 'w', press: by(reading.toggle('wraps')) },
    { id: 'blanks', keys: ['b'], shown: 'b', press: by(reading.toggle('ignoresBlanks')) },
    { id: 'output', keys: ['L'], shown: 'L', footer: true, blocked: whyNotOutput, press: openOutput },
  ],
  also: ['integrate', 'commands'],
  empty: { review: null, comments: {}, output: null, coloured: 0, reading: plainReading },
  feed: startReviewFeeds,
  drawn: true,
  answer: { line: answerToReview, ready: (state) => whyNotYes(state) === undefined },
  stays: true,
  scroll: (state, overlay, lines) => moveCursor(state, overlay, lines, sheetHeight(state)),
  click: (state, overlay, line) => selectInReview(state, overlay, line, sheetHeight(state)),
  asks: () => true,
  subject: (_, { worktree }) => ({ worktree }),
  shows: (_, { worktree }, item) => worktree === item.worktree,
}

interface SearchOverlay {
  readonly kind: 'search'
  readonly text: string
}

/** Words to search in a diff. */
// prettier-ignore
export const search: TypedView<SearchOverlay> = {
  kind: 'search',
  title: modeText.search,
  manner: 'typing',
  keys: [{ id: 'find', keys: ['enter'], shown: 'enter', footer: true, press: find }],
  empty: {},
  typed: typedLine(typingHints.findNext),
  edit: typedText,
  click: null,
}

interface VerificationOverlay {
  readonly kind: 'verification'
  readonly worktree: string
  readonly top: number
}

/** The complete output of a verification. */
export const verification: ReadView<VerificationOverlay> = {
  kind: 'verification',
  title: modeText.verification,
  manner: 'reading',
  keys: [],
  also: ['close'],
  empty: {},
  content: (state, { worktree }) => outputSheet(state, worktree),
  click: null,
}
