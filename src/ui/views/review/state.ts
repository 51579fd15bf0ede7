import type { Review, ReviewFile } from '../../../contracts/review.ts'
import type { SafeText } from '../../../domain/words/safe-text.ts'
import type { DiffIndex } from '../../../domain/words/unified-diff.ts'
import { viewedText } from '../../../text/integration.ts'
import type { Kept, ViewedFiles } from '../../core/console-memory.ts'
import type { Controller } from '../../core/controller.ts'
import type { ConsoleState } from '../../core/state.ts'

/** A place in a review by its content, which stays valid while lines appear above it. */
export interface Place {
  /** The index of the file; -1 for the lines before the first. */
  readonly file: number
  /** The line of its diff; -1 for the line with its name. Before the first file: the line itself. */
  readonly line: number
  /** The piece of a line that is longer than the screen is wide. */
  readonly piece: number
  /** The comment below that line, if it is selected. */
  readonly comment?: number
}

/** A review as it was read, and the large files that were read since; null while one is being read. */
export interface LoadedReview {
  readonly review: Review
  readonly more: ReadonlyMap<string, DiffIndex | null>
}

/** A comment that was not submitted yet. */
export interface Comment {
  readonly id: number
  readonly path: string
  /** The commented line of the diff; -1 for the file itself. */
  readonly at: number
  readonly line: number | null
  readonly side: 'old' | 'new'
  readonly quote: readonly string[]
  /** The commit of the commented diff. */
  readonly to: string
  readonly text: string
}

/** The output of a verification, line by line. */
export interface LoadedOutput {
  readonly worktree: string
  readonly lines: readonly SafeText[]
  /** Whether the verification failed. */
  readonly failed: boolean
  /** Bytes before the first line. */
  readonly left: number
}

/** The lines of a file; undefined if they were not read, null while they are being read. */
export const diffOf = ({ more }: LoadedReview, file: ReviewFile): DiffIndex | null | undefined =>
  file.diff ?? more.get(file.path)

/** A merge before it is approved: exactly the commits that are shown. */
export interface ApprovalOverlay extends Reading {
  readonly kind: 'approval'
  readonly worktree: string
  /** True if the diff is only read: no integration was requested with it. */
  readonly readOnly?: boolean
}

/** The person's position in a review. */
interface Reading {
  /** The cursor, and its distance below the first visible row. */
  readonly at: Place
  readonly offset: number
  /** Paths of the folded files. */
  readonly folded: readonly string[]
  /** The last search. */
  readonly sought: string
}

// Which files of a diff a person has read, by their contents: they are read until their diff is another one.

export type ViewedMark = 'viewed' | 'changed' | 'unread'

export const viewedIn = ({ kept }: Pick<ConsoleState, 'kept'>, worktree: string): ViewedFiles =>
  kept.viewed[worktree] ?? NONE

const NONE: ViewedFiles = {}

export const markOf = (viewed: ViewedFiles, file: ReviewFile): ViewedMark => {
  const known = Object.hasOwn(viewed, file.path) ? viewed[file.path] : undefined
  return known === undefined ? 'unread' : known === contentOf(file) ? 'viewed' : 'changed'
}

/** Both versions of a file: the diff of a file that another merge has changed below is another diff. */
const contentOf = ({ oldOid, newOid, newMode }: ReviewFile): string =>
  `${oldOid.slice(0, 12)} ${newOid.slice(0, 12)} ${newMode}`

/** The number of read files; undefined if the person reads without marking any. */
export const viewedLine = (viewed: ViewedFiles, { files }: Review): string | undefined => {
  const marks = files.map((file) => markOf(viewed, file))
  const [read, changed] = (['viewed', 'changed'] as const).map((mark) => marks.filter((one) => one === mark).length)
  return read === 0 && changed === 0 ? undefined : viewedText.line(read!, changed!, files.length)
}

/** Marks a file as read or unread, for this console and the next. */
export const keepViewed = ({ keep, state }: Controller, worktree: string, file: ReviewFile, isRead: boolean): void => {
  const present = new Set(state().board.worktrees.map(({ name }) => name))
  keep(({ viewed }: Kept) => {
    const { [file.path]: _, ...others } = viewed[worktree] ?? NONE
    const files = isRead ? { ...others, [file.path]: contentOf(file) } : others
    const entries = Object.entries(viewed).filter(([name]) => name !== worktree && present.has(name))
    return { viewed: Object.fromEntries([...entries, [worktree, newest(files)]]) }
  })
}

/** The most files of a worktree whose reading is kept. */
const MOST = 2000

const newest = (files: ViewedFiles): ViewedFiles => Object.fromEntries(Object.entries(files).slice(-MOST))
