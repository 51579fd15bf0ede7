import type { RowStyle } from './file/row-style.ts'
import type { SafeText } from '../../../domain/words/safe-text.ts'
import type { DiffIndex } from '../../../domain/words/unified-diff.ts'
import type { Review, ReviewFile } from '../../../contracts/review.ts'

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

/** How a person reads diffs. Both versions are beside each other on a wide screen, unless the person chose. */
export type ReadingStyle = Omit<RowStyle, 'isSplit'> & { readonly isSplit: boolean | null }

export const plainReading: ReadingStyle = { isSplit: null, wraps: true, ignoresBlanks: false }

/** The person's position in a review. */
export interface Reading {
  /** The cursor, and its distance below the first visible row. */
  readonly at: Place
  readonly offset: number
  /** Paths of the folded files. */
  readonly folded: readonly string[]
  /** The last search. */
  readonly sought: string
}

/** A merge before it is approved: exactly the commits that are shown. */
export interface ApprovalOverlay extends Reading {
  readonly kind: 'approval'
  readonly worktree: string
  /** True if the diff is only read: no integration was requested with it. */
  readonly readOnly?: boolean
}
