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
