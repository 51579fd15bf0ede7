import type { SafeText } from '../../domain/safe-text.ts'
import type { DiffIndex } from '../../domain/unified-diff.ts'
import type { Review, ReviewFile } from '../../operations/kernel/review.ts'

/** Where one is in a review, by what stands there: it stays right while lines come and go above it. */
export interface Place {
  /** Number of the file; -1 for the lines before the first. */
  readonly file: number
  /** Line of its diff; -1 for the line with its name. Before the first file: the line itself. */
  readonly line: number
  /** The part of a line that is longer than the screen is wide. */
  readonly piece: number
  /** The comment below that line, if that is where one is. */
  readonly comment?: number
}

export const START: Place = { file: -1, line: 0, piece: 0 }

/** A review as it was read, and the large files that were read since; null while one is being read. */
export interface LoadedReview {
  readonly review: Review
  readonly more: ReadonlyMap<string, DiffIndex | null>
}

/** A remark that was not sent yet. */
export interface Comment {
  readonly id: number
  readonly path: string
  /** The line of the diff that it hangs on; -1 for the file itself. */
  readonly at: number
  readonly line: number | null
  readonly side: 'old' | 'new'
  readonly quote: readonly string[]
  /** The commit whose diff it was written on. */
  readonly to: string
  readonly text: string
}

/** The output of a verification, line by line. */
export interface LoadedOutput {
  readonly worktree: string
  readonly lines: readonly SafeText[]
  /** Bytes that come before the first line. */
  readonly left: number
}

/** The lines of a file; undefined where they were not read, null where they are being read. */
export const diffOf = ({ more }: LoadedReview, file: ReviewFile): DiffIndex | null | undefined => file.diff ?? more.get(file.path)
