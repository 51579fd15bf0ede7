import { z } from 'zod'

const paths = z.array(z.string())

/** What a worktree holds, by what becomes of it when the worktree is removed. */
export const census = z.object({
  /** Tracked paths that differ from the last commit, staged or not; the archive keeps them. */
  uncommitted: paths,
  untracked: paths,
  /** Ignored files that a build does not make again; the archive keeps them in a tar beside its ref. */
  ignored: paths,
  /** Ignored files too large for the archive: only the trash folder keeps them, and only for so long. */
  beyond: paths,
  /** Ignored folders that a build or an installation fills again; in the trash folder too. */
  regenerable: paths,
  /** Repositories inside, submodules too; the archive keeps them whole. */
  nested: paths,
  /** Sockets, pipes and devices, of which nothing can be kept. */
  special: paths,
  /** Commits that are on no other branch, tag or remote. */
  commits: z.int(),
  /** Where HEAD is detached or on another branch than the worktree's own: that branch, or the commit. */
  head: z.string().nullable(),
  /** Stashes that were made here. */
  stashes: paths,
  /** merge, rebase, cherry-pick, revert or bisect. */
  inProgress: z.string().nullable(),
  /** Whether the target has the work already. */
  landed: z.object({ target: z.string(), how: z.enum(['merged', 'contained', 'squashed', 'picked']).nullable(), commits: z.int(), picked: z.int() }),
  /** Processes with their working directory inside: ours are ended, others block the removal. */
  processes: z.array(z.object({ pid: z.int(), name: z.string(), ours: z.boolean() })),
})
export type Census = z.output<typeof census>
