import type { CommitSummary } from './review.ts'

// Facts about an agent or a worktree that are read only when a person opens its view.

/** A process of an agent, below its parent. */
export interface ProcessNode {
  readonly pid: number
  readonly level: number
  /** Its command line with secrets masked; null if the system does not tell. */
  readonly command: string | null
  /** CPU time so far in seconds, and resident bytes. */
  readonly seconds: number
  readonly memory: number
}

export interface AgentInspection {
  /** The words of its command line, with secrets masked; null if it does not run, or the system does not tell. */
  readonly command: readonly string[] | null
  readonly folder: string | null
  /** Names of its environment variables, never their values; null as above. */
  readonly environment: readonly string[] | null
  /** Null if it does not run. */
  readonly processes: readonly ProcessNode[] | null
}

export interface WorktreeContents {
  readonly target: string
  /** Newest first; `more` if not all are listed. */
  readonly commits: readonly CommitSummary[]
  readonly more: boolean
  /** Numbers of lines are null for binary files. */
  readonly files: readonly { readonly path: string; readonly added: number | null; readonly removed: number | null }[]
  readonly moreFiles: boolean
}
