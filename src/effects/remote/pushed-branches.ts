import { branchRef, commitOf, contains } from '../git/commits.ts'
import type { World } from '../world.ts'
import { dropRef, listRemote, pushRef, type Remote } from './remote.ts'

// `fleet.pushBranches: heads`: the branches of worktrees are also pushed under their own names, so that the CI of a team
// sees them. These names are the team's too, so commits of others there are never replaced or deleted.

interface PushedBranch {
  readonly name: string
  readonly branch: string
  /** The commit that this host pushed last. */
  readonly pushedOid: string | null
}

type Heads = Pick<World, 'report'> & { readonly core: Pick<World['core'], 'root' | 'settings'> }

const isWanted = ({ core: { settings } }: Heads, branch: string): boolean =>
  settings.fleet.pushBranches === 'heads' && branch !== settings.integration.target

/** Sets the branch on the remote to `tip`, unless it has commits that the worktree has not. */
export const pushHead = async (
  world: Heads,
  remote: Remote,
  { name, branch, pushedOid }: PushedBranch,
  tip: string,
): Promise<void> => {
  if (!isWanted(world, branch)) return
  const { root } = world.core
  const ref = branchRef(branch)
  const there = (await listRemote(remote, [ref])).get(ref) ?? null
  if (there === tip) return
  const isOurs =
    there === null ||
    there === pushedOid ||
    ((await commitOf(root, there)) !== undefined && (await contains(root, tip, there)))
  const pushed = isOurs ? await pushRef(remote, { ref, oid: tip, expected: there }) : undefined
  if (pushed?.kind === 'pushed') return
  world.report(
    `Branch ${branch} of worktree ${name} is not pushed to the git remote under its own name: ${pushed?.kind === 'refused' ? pushed.problem : 'it has commits of others there'}.`,
  )
}

/** Deletes the branch of a merged worktree on the remote, if it still is where this host pushed it. */
export const dropHead = async (world: Heads, remote: Remote, { branch, pushedOid }: PushedBranch): Promise<void> => {
  if (pushedOid !== null && isWanted(world, branch)) await dropRef(remote, branchRef(branch), pushedOid)
}
