import type { BranchHistory } from '../domain/integration/branch-history.ts'
import type { Candidate } from '../domain/integration/integration.ts'
import type { Risk } from '../domain/integration/risk.ts'
import type { UnconfinedRuns } from '../domain/sandbox/unconfined.ts'
import type { ClaimedTask } from '../domain/task/claim-findings.ts'
import type { DiffIndex } from '../domain/words/unified-diff.ts'

export interface CommitSummary {
  readonly oid: string
  readonly author: string
  readonly at: string
  readonly subject: string
}

/** A file as a person reads it before approving an integration. */
export interface ReviewFile {
  /** Bytes of a name that are not UTF-8 are written as ⟨FF⟩. */
  readonly path: string
  /** Its earlier path, if it was renamed or copied. */
  readonly from: string | null
  readonly change: FileChange
  /** Modes and ids of both contents, as git names them; zeros if there is none. */
  readonly oldMode: string
  readonly newMode: string
  readonly oldOid: string
  readonly newOid: string
  /** Lines; null if git counts none, or none were read. */
  readonly added: number | null
  readonly removed: number | null
  /** Bytes of the larger of the two contents. */
  readonly size: number
  readonly content: 'text' | 'binary' | 'unread'
  /** Its part of the unified diff; null if it is so large that it is read on request. */
  readonly diff: DiffIndex | null
  readonly risks: readonly Risk[]
  /** True if the diff contains changes of it that are not committed. */
  readonly isUncommitted: boolean
}

export type FileChange = 'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'retyped'

/** The commits between which the files are compared. */
export type Commits = Pick<Candidate, 'targetOid' | 'branchOid' | 'mergeOid'>

export interface Review {
  readonly worktree: string
  readonly target: string
  /** The merge to be approved; null if there is none yet: then the branch is compared with its merge base. */
  readonly candidate: Commits | null
  /** The two commits of the diff. */
  readonly from: string
  readonly to: string
  readonly commits: readonly CommitSummary[]
  /** The riskiest first. */
  readonly files: readonly ReviewFile[]
  /** The content of the commits that the diff does not show. */
  readonly history: BranchHistory
  /** Uncommitted paths of the worktree, which would not be merged. */
  readonly uncommitted: readonly string[]
  /** True for the present content of the worktree with its uncommitted work; false for commits that would be merged. */
  readonly isPresent: boolean
  /** The part of the uncommitted work that is not in the diff, with the reason; null if there is none. */
  readonly remark: string | null
  /** The worktree's tasks with the claims of their agents. */
  readonly tasks: readonly ClaimedTask[]
  /** The agents that worked on it without a sandbox, by the reason. */
  readonly unconfined: readonly UnconfinedRuns[]
}
