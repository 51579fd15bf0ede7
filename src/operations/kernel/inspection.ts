import type { CommitSummary } from './outside.ts'

// What is looked at of an agent or a worktree when somebody opens it, and not before.

/** A process of an agent, below the one that started it. */
export interface ProcessNode {
  readonly pid: number
  readonly level: number
  /** Its command line with secrets masked; null where the system does not tell. */
  readonly command: string | null
  /** Processor time so far, in seconds, and resident bytes. */
  readonly seconds: number
  readonly memory: number
}

export interface AgentInspection {
  /** The words it was started with, secrets masked; null where it does not run, or the system does not tell. */
  readonly command: readonly string[] | null
  readonly folder: string | null
  /** Names of the variables of its environment, never their values; null as above. */
  readonly environment: readonly string[] | null
  /** Null where it does not run. */
  readonly processes: readonly ProcessNode[] | null
}

export interface WorktreeContents {
  readonly target: string
  /** Newest first; `more` where there are more than are shown. */
  readonly commits: readonly CommitSummary[]
  readonly more: boolean
  /** Null lines are those of binary files. */
  readonly files: readonly { readonly path: string; readonly added: number | null; readonly removed: number | null }[]
  readonly moreFiles: boolean
}
