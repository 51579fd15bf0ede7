// The first start in a repository: the proposal, and the choice of the person.

/** A command from a fixed list of build tools; no text of the repository is ever part of it. */
export interface Verification {
  readonly command: string
  /** Prepares a new worktree for it; '' if nothing has to be prepared. */
  readonly setup: string
  /** The file that speaks for it. */
  readonly from: string
}

export interface InstalledAgent {
  readonly kind: string
  /** False if neither a login file nor a variable of it was found; the CLI itself may know another place. */
  readonly loggedIn: boolean
}

export interface StartProposal {
  readonly root: string
  /** The file that would be written. */
  readonly path: string
  /** True if there is one already; then nothing is asked or written. */
  readonly configured: boolean
  /** Local branches, the proposed one first. */
  readonly targets: readonly string[]
  /** The proposed one first; empty if no build tool was recognised. */
  readonly verifications: readonly Verification[]
  /** The proposed one first. */
  readonly agents: readonly InstalledAgent[]
  /** Kinds of agent whose program was not found. */
  readonly missing: readonly string[]
}

export interface StartAnswers {
  readonly target: string
  readonly verify: string
  readonly setup: string
  /** Null: the first installed one. */
  readonly agent: string | null
}
