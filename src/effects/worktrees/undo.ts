import { someOf } from '../../domain/words/counts.ts'
import { CONFIGURATION_CHANGED } from '../../domain/integration/trusted-configuration.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readRevert } from '../../operations/integration/merge.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import { askGit, git } from '../git/git.ts'
import { branchRef, commitOf, committer, contains } from '../git/commits.ts'
import { withoutPrograms } from '../git/drivers.ts'
import type { World } from '../world.ts'
import { checkGuard } from '../guard/guard.ts'

/**
 * Creates the revert as the first commit on the branch of a worktree that undoes an integration; leaves other worktrees
 * alone. Touches no checkout.
 */
export const beginRevert = async (world: World, { name, branch }: WorktreeWork): Promise<void> => {
  const { core, actor } = world
  const revert = await perform(core, readRevert, { worktree: name }, actor)
  if (!revert) return
  const { root } = core
  const { mergeOid, target, worktree } = revert
  if ((await commitOf(root, branchRef(branch))) !== undefined) return
  const targetOid = await commitOf(root, branchRef(target))
  if (targetOid === undefined || !(await contains(root, targetOid, mergeOid))) {
    throw new Refusal(
      'invalid_state',
      `${target} no longer contains the integration of ${worktree}; there is nothing to undo.`,
    )
  }
  const environment = await committer(root)
  const commit = async (tree: string, parent: string, message: string): Promise<string> =>
    (await git(root, ['commit-tree', tree, '-p', parent], { input: message, environment })).trim()
  // Directly after the merge, the revert is simply the tree before it; merging that with the target keeps later
  // changes.
  const directly = await commit(`${mergeOid}^1^{tree}`, mergeOid, 'A revert\n')
  const trusted = await checkGuard(world)
  const { exitCode, stdout } = await askGit(
    root,
    ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', '--end-of-options', targetOid, directly],
    { answers: [1], environment: await withoutPrograms(root) },
  )
  const [tree = '', ...conflicts] = stdout.split('\0').filter(Boolean)
  // An untrusted merge driver was not run, so this may not be a real conflict.
  if (exitCode === 1 && !trusted) throw new Refusal('configuration_changed', CONFIGURATION_CHANGED)
  if (exitCode === 1) {
    throw new Refusal(
      'conflicted',
      `Undoing ${worktree} conflicts with later changes in ${someOf([...new Set(conflicts)], 5)}; create a task for it instead.`,
    )
  }
  const oid = await commit(
    tree,
    targetOid,
    `Revert "Integrate worktree ${worktree}"\n\nThis reverts the merge ${mergeOid}.\n`,
  )
  await git(root, ['update-ref', '--end-of-options', branchRef(branch), oid, '0'.repeat(oid.length)])
}
