import type { Actor } from '../../domain/actor.ts'
import type { Core } from './core.ts'

/** What an operation has left to be done outside the database. Whoever starts next finds it in the rows as well. */
export type Wish =
  | { readonly kind: 'build_worktree'; readonly worktree: string }
  | { readonly kind: 'prepare_integration'; readonly worktree: string }
  | { readonly kind: 'land_integration'; readonly worktree: string }
  | { readonly kind: 'remove_worktree'; readonly worktree: string }
  | { readonly kind: 'stop_agent'; readonly agentId: string }
  | { readonly kind: 'record_commits'; readonly taskId: number }
  | { readonly kind: 'project_session' }
  | { readonly kind: 'allow_rule'; readonly personaId: string; readonly rule: string }

/** What git says of a worktree now. */
export interface WorktreeObservation {
  readonly name: string
  /** Commits on the branch that the target lacks, and the other way round. */
  readonly ahead: number
  readonly behind: number
  /** Paths with uncommitted changes. */
  readonly dirty: number
  /** Lines added and removed against the merge base with the target. */
  readonly added: number
  readonly removed: number
}

/** What a process and its children use now: per cent of one core, resident bytes. */
export interface ProcessObservation {
  readonly agentId: string
  readonly cpu: number
  readonly memory: number
  readonly processes: number
}

export interface CommitSummary {
  readonly oid: string
  readonly author: string
  readonly at: string
  readonly subject: string
}

/** What integrating a worktree would bring. `diff` is unified, cut at 1 MB. */
export interface WorktreeDiff {
  readonly commits: readonly CommitSummary[]
  readonly files: readonly { readonly path: string; readonly added: number | null; readonly removed: number | null }[]
  readonly diff: string
  readonly cut: boolean
  /** Paths that are uncommitted in the worktree and so would not be integrated. */
  readonly uncommitted: readonly string[]
}

/** A piece of an agent's output file. */
export interface OutputPiece {
  readonly text: string
  /** Byte offset behind the piece: where to read on. */
  readonly next: number
  readonly size: number
}

/** How surfaces reach the world outside the database; main.ts gives them the real one. */
export interface Outside {
  /** Does now what a loop would otherwise do at its next turn. Refuses as the loop would. */
  carryOut(wish: Wish): Promise<void>
  /** Refuses what is known beforehand to be in vain; only looks, and never waits: the operation's transaction is still open. */
  readonly check?: (wish: Wish) => void
  /** Resolves at the next commit of any process after `version` was the store's, after `ms`, or when the signal aborts. */
  nextChange(version: number, ms: number, signal: AbortSignal): Promise<void>
  observeWorktrees(names?: readonly string[]): Promise<readonly WorktreeObservation[]>
  observeProcesses(): Promise<readonly ProcessObservation[]>
  diffWorktree(name: string): Promise<WorktreeDiff>
  /**
   * From a byte offset, or the last `tail` bytes; at most 256 KB. An agent without output gives an empty piece.
   * Of a CLI with structured output in words for people, secrets masked.
   */
  readOutput(agentId: string, from: { readonly offset: number } | { readonly tail: number }): Promise<OutputPiece>
  /** As it was printed. */
  readRawOutput(agentId: string, from: { readonly offset: number } | { readonly tail: number }): Promise<OutputPiece>
}

/** A surface's way in: the core, who asks through it, and the world outside. */
export interface Connection {
  readonly core: Core
  readonly actor: Actor
  readonly outside: Outside
}
