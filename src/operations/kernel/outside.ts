import type { Actor } from '../../domain/actor.ts'
import type { Conflict, Lander, LandingStep } from '../../domain/radar.ts'
import type { Instant } from '../../domain/time.ts'
import type { DiffIndex } from '../../domain/unified-diff.ts'
import type { Census } from './census.ts'
import type { Core } from './core.ts'
import type { AgentInspection, WorktreeContents } from './inspection.ts'
import type { Memories } from './memories.ts'
import type { Review, ReviewFile } from './review.ts'

/** What an operation has left to be done outside the database. Whoever starts next finds it in the rows as well. */
export type Wish =
  | { readonly kind: 'build_worktree'; readonly worktree: string }
  | { readonly kind: 'prepare_integration'; readonly worktree: string }
  | { readonly kind: 'land_integration'; readonly worktree: string }
  | { readonly kind: 'remove_worktree'; readonly worktree: string }
  | { readonly kind: 'restore_worktree'; readonly worktree: string }
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
  /** Paths with uncommitted changes; null where git cannot tell. */
  readonly dirty: number | null
  /** Why it cannot. */
  readonly problem?: string
  /** Lines added and removed against the merge base with the target. */
  readonly added: number
  readonly removed: number
}

/** What the folder of a worktree takes on the disk; not `complete` where it holds more than is counted. */
export interface WorktreeSize {
  readonly name: string
  readonly bytes: number
  readonly complete: boolean
}

/** What a process and its children use now: per cent of one core, resident bytes. */
export interface ProcessObservation {
  readonly agentId: string
  readonly cpu: number
  readonly memory: number
  readonly processes: number
  /** When its output grew last; null where it has none yet. */
  readonly lastOutput?: string | null
}

export interface CommitSummary {
  readonly oid: string
  readonly author: string
  readonly at: string
  readonly subject: string
}

/** What the conflict radar knows of a worktree. */
export interface RadarWorktree extends Lander {
  /** What of it could not be looked at, if anything. */
  readonly remark: string | null
}

/** Which worktrees conflict, with one another and with their targets, and how they had best land. */
export interface Radar {
  readonly worktrees: readonly RadarWorktree[]
  /** Only those that do not merge by themselves. */
  readonly pairs: readonly Conflict[]
  /** Names of worktrees that have something to land, and why each stands where it stands. */
  readonly order: readonly string[]
  readonly steps: readonly LandingStep[]
}

/** A piece of an agent's output file. */
export interface OutputPiece {
  readonly text: string
  /** When the file was last written to, where it is known. */
  readonly writtenAt?: Instant
  /** Byte offset behind the piece: where to read on. */
  readonly next: number
  readonly size: number
}

/** A git command that aiswarm ran. */
export interface GitCommandView {
  readonly at: string
  readonly folder: string
  readonly argv: readonly string[]
  /** Null when it was ended. */
  readonly exitCode: number | null
  readonly ms: number
  readonly said: string
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
  /** Worktrees whose folder is not where it was built, and what became of it. */
  absentWorktrees(names?: readonly string[]): Promise<readonly { readonly name: string; readonly why: string }[]>
  observeProcesses(): Promise<readonly ProcessObservation[]>
  /** Counts files, which takes its time; of worktrees whose folder stands. */
  measureWorktrees(names?: readonly string[]): Promise<readonly WorktreeSize[]>
  /** What a worktree holds, by what would become of it if it were removed. */
  census(worktree: string): Promise<Census>
  /** What integrating a worktree would bring, with all that a person should know before they let it in. */
  reviewWorktree(name: string): Promise<Review>
  /** The diff of a file that was too large to be read with the others. */
  readReviewFile(review: Pick<Review, 'from' | 'to'>, file: ReviewFile): Promise<DiffIndex>
  /** The output of the last verification of a worktree; its last 8 MB where it is longer. */
  readVerification(name: string): Promise<OutputPiece>
  /** Looks for conflicts where something has changed since; with `everything` looks at every worktree. */
  radar(options?: { readonly everything?: boolean }): Promise<Radar>
  /**
   * From a byte offset, or the last `tail` bytes; at most 256 KB. An agent without output gives an empty piece.
   * Of a CLI with structured output in words for people, secrets masked.
   */
  readOutput(agentId: string, from: { readonly offset: number } | { readonly tail: number }): Promise<OutputPiece>
  /** The latest git commands that aiswarm ran here, oldest first. */
  gitCommands(): Promise<readonly GitCommandView[]>
  /** Why the terminal of this process may be an agent's own; undefined where a person has logged in there. */
  whyNoLogin(): Promise<string | undefined>
  /** What agents remember in files. */
  readonly memories: Memories
  /** What an agent's process was started with and what it started itself, secrets masked. */
  inspectAgent(agentId: string): Promise<AgentInspection>
  /** What a worktree's branch holds that its target lacks. */
  worktreeContents(name: string): Promise<WorktreeContents>
  /** Writes what is to be kept of the logs into a new file of that name, secrets masked; gives its path. */
  saveLog(name: string, text: string): Promise<string>
  /** As it was printed. */
  readRawOutput(agentId: string, from: { readonly offset: number } | { readonly tail: number }): Promise<OutputPiece>
}

/** A surface's way in: the core, who asks through it, and the world outside. */
export interface Connection {
  readonly core: Core
  readonly actor: Actor
  readonly outside: Outside
}
