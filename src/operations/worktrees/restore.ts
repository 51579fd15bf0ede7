import { z } from 'zod'
import { changeArchive, selectLatestArchive, selectRestoring, selectWorktrees } from '../../db/worktrees.ts'
import { checkBranchName } from '../../domain/rules/names.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from '../perform/core.ts'
import { findWorktree, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { worktreeName } from '../perform/schemas.ts'
import { viewWorktrees, worktreeView } from '../views/worktrees.ts'

export const restoreWorktree = operation({
  name: 'restore_worktree',
  summary: 'Restore an ended worktree from its archive as it was: files, staged changes, a merge in progress',
  access: 'write',
  authority: 'planner',
  input: () =>
    z.strictObject({
      worktreeName,
      branchName: z.string().optional().describe('Branch to put it on if its own is in use or has moved'),
    }),
  output: worktreeView,
  run: async (context, input) => {
    const { db, now } = context
    const worktree = await findWorktree(db, input.worktreeName)
    const { name, status, folder } = worktree
    if (status === 'active')
      throw new Refusal('invalid_state', `Worktree ${name} is active; there is nothing to restore.`)
    if (folder !== 'gone')
      throw new Refusal('invalid_state', `Worktree ${name} is still being removed. Try again in a moment.`)
    const archive = await selectLatestArchive(db, name)
    if (!archive)
      throw new Refusal(
        'not_found',
        `Worktree ${name} has no archive${worktree.archive_ref === null ? '' : ` with a record; its files are at ${worktree.archive_ref}`}.`,
      )
    if (input.branchName !== undefined) checkBranchName(input.branchName)
    await refuseRival(context, name, input.branchName ?? worktree.branch_name)
    must(
      await changeArchive(
        db,
        archive.ref,
        { restore_wanted_at: archive.restore_wanted_at },
        { restore_wanted_at: now, restore_branch: input.branchName ?? null },
      ),
      `The archive of ${name}`,
    )
    return (await viewWorktrees(db, [worktree]))[0]!
  },
  subject: (worktree, { branchName }) => ({
    worktree: worktree.name,
    details: { archiveRef: worktree.archiveRef, branch: branchName ?? worktree.branchName },
  }),
  wish: (worktree) => ({ kind: 'restore_worktree', worktree: worktree.name }),
  reread: async ({ db }, worktree) => (await viewWorktrees(db, [await findWorktree(db, worktree.name)]))[0]!,
})

/** Two worktrees never share a branch, also while one is still being built. */
const refuseRival = async ({ db }: Context, name: string, branch: string): Promise<void> => {
  const standing = (await selectWorktrees(db, { folders: ['building', 'ready', 'leaving'] })).find(
    (other) => other.branch_name === branch,
  )?.name
  const rival =
    standing ??
    (await selectRestoring(db)).find((other) => other.branch_name === branch && other.worktree !== name)?.worktree
  if (rival !== undefined)
    throw new Refusal(
      'already_exists',
      `Branch ${branch} is already used by worktree ${rival}. Name another one with --branch.`,
    )
}
