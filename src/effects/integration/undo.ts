import { CONFIGURATION_CHANGED } from '../../domain/integration.ts'
import { Refusal } from '../../domain/refusal.ts'
import { perform } from '../../operations/kernel/perform.ts'
import { readRevert } from '../../operations/read-revert.ts'
import type { WorktreeWork } from '../../operations/read-wishes.ts'
import { askGit, git } from '../git.ts'
import { branchRef, committer, commitOf, contains } from '../git-facts.ts'
import { withoutPrograms } from '../git-programs.ts'
import type { World } from '../world.ts'
import { checkGuard } from './guard.ts'

/** The branch of a worktree that undoes an integration begins with its revert; other worktrees are left alone. Touches no checkout. */
export const beginRevert = async (world: World, { name, branch }: WorktreeWork): Promise<void> => {
  const { core, actor } = world
  const revert = await perform(core, readRevert, { worktree: name }, actor)
  if (!revert) return
  const { root } = core
  const { mergeOid, target, worktree } = revert
  if ((await commitOf(root, branchRef(branch))) !== undefined) return
  const targetOid = await commitOf(root, branchRef(target))
  if (targetOid === undefined || !(await contains(root, targetOid, mergeOid))) {
    throw new Refusal('invalid_state', `${target} no longer contains the integration of ${worktree}; there is nothing to undo.`)
  }
  const environment = await committer(root)
  const commit = async (tree: string, parent: string, message: string): Promise<string> =>
    (await git(root, ['commit-tree', tree, '-p', parent], { input: message, environment })).trim()
  // On top of the merge the revert is simply what was there before; merging that with the target carries what came later along.
  const directly = await commit(`${mergeOid}^1^{tree}`, mergeOid, 'A revert\n')
  const trusted = await checkGuard(world)
  const { exitCode, stdout } = await askGit(root, ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', '--end-of-options', targetOid, directly], {
    answers: [1],
    environment: await withoutPrograms(root),
  })
  const [tree = '', ...conflicts] = stdout.split('\0').filter(Boolean)
  // A driver that nobody trusts was not asked, so it may be no conflict.
  if (exitCode === 1 && !trusted) throw new Refusal('configuration_changed', CONFIGURATION_CHANGED)
  if (exitCode === 1) {
    const files = [...new Set(conflicts)]
    throw new Refusal(
      'conflicted',
      `Undoing ${worktree} conflicts with what came later in ${files.slice(0, 5).join(', ')}${files.length > 5 ? ', …' : ''}; make a task of it instead.`,
    )
  }
  const oid = await commit(tree, targetOid, `Revert "Integrate worktree ${worktree}"\n\nThis takes back the merge ${mergeOid}.\n`)
  await git(root, ['update-ref', '--end-of-options', branchRef(branch), oid, '0'.repeat(oid.length)])
}
