import { z } from 'zod'
import { selectRestoring } from '../../db/archives.ts'
import { insertWorktree, selectWorktree, selectWorktrees } from '../../db/worktrees.ts'
import { checkBranchName, checkWorktreeName, genericNameWarning } from '../../domain/rules/names.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from '../door/core.ts'
import { findWorktree } from '../door/find.ts'
import { operation } from '../door/operation.ts'
import { worktreePath } from './worktree-path.ts'
import { viewWorktrees, worktreeView } from '../views/views.ts'

export const createWorktree = operation({
  name: 'create_worktree',
  summary: 'Create a git worktree with its branch next to the repository',
  access: 'write',
  authority: 'planner',
  input: z.strictObject({
    name: z.string().describe('1 to 50 letters, digits, - or _'),
    branchName: z.string().describe('Branch to work on; created if it does not exist'),
    sourceBranch: z.string().min(1).optional().describe('Branch to fork from'),
  }),
  /** Null if the name needs no warning. */
  output: worktreeView.extend({ warning: z.string().nullable() }),
  run: async (context, { name, branchName, sourceBranch }) => {
    const { db, now, actor, settings } = context
    checkWorktreeName(name)
    checkBranchName(branchName)
    const source = sourceBranch ?? settings.integration.target
    checkBranchName(source)
    await refuseTaken(context, name, branchName)
    await insertWorktree(db, {
      name,
      branch_name: branchName,
      source_branch: source,
      created_by: actor.id,
      created_at: now,
      status: 'active',
      path: worktreePath(context, name),
      folder: 'building',
    })
    return {
      ...(await viewWorktrees(db, [await findWorktree(db, name)]))[0]!,
      warning: genericNameWarning(name) ?? null,
    }
  },
  subject: (worktree) => ({ worktree: worktree.name, details: { branch: worktree.branchName, path: worktree.path } }),
  wish: (worktree) => ({ kind: 'build_worktree', worktree: worktree.name }),
  reread: async ({ db }, { name, warning }) => ({
    ...(await viewWorktrees(db, [await findWorktree(db, name)]))[0]!,
    warning,
  }),
})

const refuseTaken = async ({ db }: Context, name: string, branch: string): Promise<void> => {
  const taken = await selectWorktree(db, name)
  if (taken)
    throw new Refusal('already_exists', `Worktree ${name} already exists (${taken.status}). Choose another name.`)
  const rival = (await selectWorktrees(db, { folders: ['building', 'ready', 'leaving'] })).find(
    (other) => other.branch_name === branch,
  )
  const restored = (await selectRestoring(db)).find((archive) => archive.branch_name === branch)?.worktree
  const holder = rival?.name ?? restored
  if (holder !== undefined)
    throw new Refusal(
      'already_exists',
      `Branch ${branch} is already used by worktree ${holder}. Choose another branch.`,
    )
}
