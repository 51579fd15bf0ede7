import { type ClaimedTask, claimsOf, type Finding } from '../../domain/claims.ts'
import type { Candidate } from '../../domain/integration.ts'
import type { Risk } from '../../domain/risk.ts'
import type { DiffIndex } from '../../domain/unified-diff.ts'
import type { CommitSummary } from './outside.ts'
import type { IntegrationView } from './views.ts'

// What a person reads before they let a worktree into its target.

export interface ReviewFile {
  /** Bytes of a name that are no UTF-8 stand in it as ⟨FF⟩. */
  readonly path: string
  /** Where it was before, if it was renamed or copied. */
  readonly from: string | null
  readonly change: FileChange
  /** Modes and ids of both contents, as git names them; zeros where there is none. */
  readonly oldMode: string
  readonly newMode: string
  readonly oldOid: string
  readonly newOid: string
  /** Lines; null where git shows none, or none were read. */
  readonly added: number | null
  readonly removed: number | null
  /** Bytes of the larger of the two contents. */
  readonly size: number
  readonly content: 'text' | 'binary' | 'unread'
  /** Its part of the unified diff; null where it is so large that it is read when it is asked for. */
  readonly diff: DiffIndex | null
  readonly risks: readonly Risk[]
}

export type FileChange = 'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'retyped'

/** The commits between which the files are compared. */
export type Commits = Pick<Candidate, 'targetOid' | 'branchOid' | 'mergeOid'>

export interface Review {
  readonly worktree: string
  readonly target: string
  /** The merge that would be let in; null where there is none yet: then the branch is compared with where it left its target. */
  readonly candidate: Commits | null
  /** The two commits that the diff lies between. */
  readonly from: string
  readonly to: string
  readonly commits: readonly CommitSummary[]
  /** The riskiest first. */
  readonly files: readonly ReviewFile[]
  /** Paths that are uncommitted in the worktree and so would not go in. */
  readonly uncommitted: readonly string[]
  /** The worktree's tasks with what was said of them. */
  readonly tasks: readonly ClaimedTask[]
}

/** What was said of the work beside what is known of it now. */
export const findingsOf = ({ tasks, files, uncommitted }: Review, integration: IntegrationView | null): readonly Finding[] =>
  claimsOf(tasks, { verification: integration?.verification ?? null, paths: files.flatMap(({ path, from }) => [path, ...(from === null ? [] : [from])]), uncommitted })

/** Lines of all files whose lines are known. */
export const totalsOf = ({ files }: Pick<Review, 'files'>): { readonly files: number; readonly added: number; readonly removed: number } => ({
  files: files.length,
  added: files.reduce((sum, file) => sum + (file.added ?? 0), 0),
  removed: files.reduce((sum, file) => sum + (file.removed ?? 0), 0),
})
