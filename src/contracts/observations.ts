import type { Conflict, Lander, LandingStep } from '../domain/integration/radar.ts'
import type { Instant } from '../domain/words/time.ts'
import type { CommitSummary } from './review.ts'

// Observations outside of the board: worktrees, processes, outputs, git commands, conflicts.

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

/** The content of a worktree, by its fate when the worktree is removed. */
export interface Census {
  /** Tracked paths that differ from the last commit, staged or not; the archive keeps them. */
  readonly uncommitted: readonly string[]
  readonly untracked: readonly string[]
  /** Ignored files that a build does not regenerate; the archive keeps them in a tar beside its ref. */
  readonly ignored: readonly string[]
  /** Ignored files too large for the archive: only the trash folder keeps them, for a limited time. */
  readonly beyond: readonly string[]
  /** Ignored folders that a build or an installation regenerates; the trash folder keeps them too. */
  readonly regenerable: readonly string[]
  /** Nested repositories, including submodules; the archive keeps them whole. */
  readonly nested: readonly string[]
  /** Sockets, pipes and devices, which cannot be kept. */
  readonly special: readonly string[]
  /** Commits that are on no other branch, tag or remote. */
  readonly commits: number
  /** The commit of a detached HEAD, or its branch if it is not the worktree's own. */
  readonly head: string | null
  /** Stashes that were made here. */
  readonly stashes: readonly string[]
  /** merge, rebase, cherry-pick, revert or bisect. */
  readonly inProgress: string | null
  /** How the target contains the work. */
  readonly landed: {
    readonly target: string
    readonly how: 'merged' | 'contained' | 'squashed' | 'picked' | null
    readonly commits: number
    readonly picked: number
  }
  /** Processes with their working directory inside: ours are killed, others block the removal. */
  readonly processes: readonly { readonly pid: number; readonly name: string; readonly ours: boolean }[]
}
