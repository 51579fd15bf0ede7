import { z } from 'zod'

const paths = z.array(z.string())

/** The content of a worktree, by its fate when the worktree is removed. */
export const census = z.object({
  /** Tracked paths that differ from the last commit, staged or not; the archive keeps them. */
  uncommitted: paths,
  untracked: paths,
  /** Ignored files that a build does not regenerate; the archive keeps them in a tar beside its ref. */
  ignored: paths,
  /** Ignored files too large for the archive: only the trash folder keeps them, for a limited time. */
  beyond: paths,
  /** Ignored folders that a build or an installation regenerates; the trash folder keeps them too. */
  regenerable: paths,
  /** Nested repositories, including submodules; the archive keeps them whole. */
  nested: paths,
  /** Sockets, pipes and devices, which cannot be kept. */
  special: paths,
  /** Commits that are on no other branch, tag or remote. */
  commits: z.int(),
  /** The commit of a detached HEAD, or its branch if it is not the worktree's own. */
  head: z.string().nullable(),
  /** Stashes that were made here. */
  stashes: paths,
  /** merge, rebase, cherry-pick, revert or bisect. */
  inProgress: z.string().nullable(),
  /** How the target contains the work. */
  landed: z.object({
    target: z.string(),
    how: z.enum(['merged', 'contained', 'squashed', 'picked']).nullable(),
    commits: z.int(),
    picked: z.int(),
  }),
  /** Processes with their working directory inside: ours are killed, others block the removal. */
  processes: z.array(z.object({ pid: z.int(), name: z.string(), ours: z.boolean() })),
})
export type Census = z.output<typeof census>
