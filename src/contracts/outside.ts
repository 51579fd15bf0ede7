import type { Actor } from '../domain/agent/actor.ts'
import type { Conflict, Lander, LandingStep } from '../domain/integration/radar.ts'
import type { Instant } from '../domain/words/time.ts'
import type { DiffIndex } from '../domain/words/unified-diff.ts'
import type { Census } from './census.ts'
import type { AgentInspection, WorktreeContents } from './inspection.ts'
import type { Conversations } from './conversation.ts'
import type { Configurations } from './configuration.ts'
import type { Memories } from './memories.ts'
import type { Taken } from './take-over.ts'
import type { Review, ReviewFile } from './review.ts'

/** The outside work that an operation has requested. The rows record it too, so that the next process finds it. */
export type Wish =
  | { readonly kind: 'build_worktree'; readonly worktree: string }
  | { readonly kind: 'prepare_integration'; readonly worktree: string }
  | { readonly kind: 'land_integration'; readonly worktree: string }
  | { readonly kind: 'remove_worktree'; readonly worktree: string }
  | { readonly kind: 'restore_worktree'; readonly worktree: string }
  | { readonly kind: 'move_worktree'; readonly worktree: string }
  | { readonly kind: 'stop_agent'; readonly agentId: string }
  | { readonly kind: 'record_commits'; readonly taskId: number }
  | { readonly kind: 'all'; readonly wishes: readonly Wish[] }
  | { readonly kind: 'put_back_target'; readonly target: string }
  | { readonly kind: 'project_session' }
  | { readonly kind: 'allow_rule'; readonly personaId: string; readonly rule: string }

/** Git's state of a worktree now. */
export interface WorktreeObservation {
  readonly name: string
  /** Commits on the branch that the target lacks, and the other way round. */
  readonly ahead: number
  readonly behind: number
  /** Paths with uncommitted changes; null if git cannot tell. */
  readonly dirty: number | null
  /** When the latest of them was written, if one of the first few hundred was (ms since 1970). */
  readonly edited?: number
  /** The reason why it cannot. */
  readonly problem?: string
  /** Lines added and removed against the merge base with the target. */
  readonly added: number
  readonly removed: number
}

/** The disk space of a worktree's folder; not `complete` if it has more files than are counted. */
export interface WorktreeSize {
  readonly name: string
  readonly bytes: number
  readonly complete: boolean
}

/** The use of a process and its children now: per cent of one core, resident bytes. */
export interface ProcessObservation {
  readonly agentId: string
  readonly cpu: number
  readonly memory: number
  readonly processes: number
  /** When its output last grew; null if there is none yet. */
  readonly lastOutput?: string | null
}

/** The conflict radar's facts about a worktree. */
export interface RadarWorktree extends Lander {
  /** The part of it that could not be read, if any. */
  readonly remark: string | null
}

/** The conflicts between worktrees and with their targets, and the suggested merge order. */
export interface Radar {
  readonly worktrees: readonly RadarWorktree[]
  /** Only pairs with a conflict. */
  readonly pairs: readonly Conflict[]
  /** Names of worktrees with changes to merge, and the reasons for their places. */
  readonly order: readonly string[]
  readonly steps: readonly LandingStep[]
}

/** The changes by a move of a target; not `complete` if the diff is too long, or a commit is missing. */
export interface MoveDiff {
  readonly text: string
  readonly complete: boolean
}

/** A piece of an agent's output file. */
export interface OutputPiece {
  readonly text: string
  /** When the file was last written to, if known. */
  readonly writtenAt?: Instant
  /** The byte offset after the piece, for the next read. */
  readonly next: number
  readonly size: number
}

/** A git command that aiswarm ran. */
export interface GitCommandView {
  readonly at: string
  readonly folder: string
  readonly argv: readonly string[]
  /** Null when it was killed. */
  readonly exitCode: number | null
  readonly ms: number
  readonly said: string
}

/** Access of surfaces to everything outside the database; main.ts provides the real one. */
export interface Outside {
  /** Does now the work that a loop would do at its next turn. Refuses as the loop would. */
  carryOut(wish: Wish): Promise<void>
  /**
   * Refuses work that is known to be impossible; only reads and never waits, because the operation's transaction is
   * still open.
   */
  readonly check?: (wish: Wish) => void
  /** Resolves at the next commit of any process after `version` of the store, after `ms`, or when the signal aborts. */
  nextChange(version: number, ms: number, signal: AbortSignal): Promise<void>
  observeWorktrees(names?: readonly string[]): Promise<readonly WorktreeObservation[]>
  /** Worktrees whose folder is not where it was built, with reasons. */
  absentWorktrees(names?: readonly string[]): Promise<readonly { readonly name: string; readonly why: string }[]>
  observeProcesses(): Promise<readonly ProcessObservation[]>
  /** Counts files, which takes long; only of worktrees whose folder exists. */
  measureWorktrees(names?: readonly string[]): Promise<readonly WorktreeSize[]>
  /** The content of a worktree, by its fate if the worktree is removed. */
  census(worktree: string): Promise<Census>
  /** The changes that integrating a worktree would merge, with all facts for a person's approval. */
  reviewWorktree(name: string): Promise<Review>
  /** The present difference of a worktree to the point where it forked from its target, with uncommitted work. */
  presentWorktree(name: string): Promise<Review>
  /** The diff of a file that was too large to be read with the others. */
  readReviewFile(review: Pick<Review, 'worktree' | 'from' | 'to' | 'isPresent'>, file: ReviewFile): Promise<DiffIndex>
  /** The output of the last verification of a worktree, at most its last 8 MB. */
  readVerification(name: string): Promise<OutputPiece>
  /** Finds conflicts where something has changed; with `everything` scans every worktree. */
  radar(options?: { readonly everything?: boolean }): Promise<Radar>
  /**
   * From a byte offset, or the last `tail` bytes; at most 256 KB. An agent without output gives an empty piece. The
   * output of a CLI with structured messages is converted for people, with secrets masked.
   */
  readOutput(agentId: string, from: { readonly offset: number } | { readonly tail: number }): Promise<OutputPiece>
  /** The diff of a move of a target. */
  readMove(move: { readonly from: string | null; readonly to: string | null }): Promise<MoveDiff>
  /** The latest git commands that aiswarm ran here, oldest first. */
  gitCommands(): Promise<readonly GitCommandView[]>
  /** The reason why the terminal of this process may be an agent's; undefined if a person has logged in there. */
  whyNoLogin(): Promise<string | undefined>
  /** Says why an agent of this persona and kind would not be confined; null if it would. Without a kind, the configured one. */
  whyUnconfined(start: { readonly personaId: string; readonly kind: string | null }): Promise<string | null>
  /** The configuration file, for a person. */
  readonly configurations: Configurations
  /** The memories of agents in files. */
  readonly memories: Memories
  /** The command line and the child processes of an agent, with secrets masked. */
  inspectAgent(agentId: string): Promise<AgentInspection>
  /** Entries of `sandbox.hosts` that would allow the hosts which the sandbox has refused to an agent. */
  refusedHosts(agentId: string): Promise<readonly string[]>
  /** The commits and files of a worktree's branch that its target lacks. */
  worktreeContents(name: string): Promise<WorktreeContents>
  /** The conversations with agents, from the output of their runs. */
  readonly conversations: Conversations
  /** Takes over the conversation of an agent; resolves when its processes are gone and the person holds its task. */
  takeOver(agentId: string, actor: Actor): Promise<Taken>
  /** Saves a part of the logs to a new file of that name, with secrets masked; returns its path. */
  saveLog(name: string, text: string): Promise<string>
  /** As it was printed. */
  readRawOutput(agentId: string, from: { readonly offset: number } | { readonly tail: number }): Promise<OutputPiece>
}
