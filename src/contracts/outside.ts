import type { Actor } from '../domain/agent/actor.ts'
import type { DiffIndex } from '../domain/words/unified-diff.ts'
import type { Configurations } from './configuration.ts'
import type { Conversations, Taken } from './conversation.ts'
import type { Memories } from './memories.ts'
import type {
  AgentInspection,
  Census,
  GitCommandView,
  MoveDiff,
  OutputPiece,
  ProcessObservation,
  Radar,
  WorktreeContents,
  WorktreeObservation,
  WorktreeSize,
} from './observations.ts'
import type { Review, ReviewFile } from './review.ts'

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
