import { Refusal } from '../../domain/rules/refusal.ts'
import type { RestoreWork } from '../../operations/supervision/wishes.ts'
import type { Archive } from './record.ts'
import { git } from '../git/git.ts'
import { branchRef, commitOf } from '../git/commits.ts'
import { checkouts } from '../git/repository.ts'

/**
 * Resets the branches to the archive's commits and returns the content of HEAD. A branch that has moved since, or that
 * is checked out elsewhere, is left alone: the worktree's own branch then needs another name, and from any other branch
 * HEAD is detached.
 */
export const placeBranches = async (
  root: string,
  { branch, worktree }: RestoreWork,
  { record }: Archive,
): Promise<string> => {
  const { head } = record
  const own = branchRef(record.branch)
  const at = head.ref === own ? head.oid : record.branchTip
  const wanted = branchRef(branch)
  if (at !== null) await placeBranch(root, wanted, at, worktree)
  if (head.ref === own || head.ref === null)
    return head.ref === null ? (head.oid ?? `ref: ${wanted}`) : `ref: ${wanted}`
  if (head.oid === null) return `ref: ${head.ref}`
  const free = !(await checkouts(root)).some((checkout) => checkout.branch === head.ref)
  const now = await commitOf(root, head.ref)
  if (now === undefined) await git(root, ['update-ref', '--end-of-options', head.ref, head.oid, ''])
  return free && (now === undefined || now === head.oid) ? `ref: ${head.ref}` : head.oid
}

const placeBranch = async (root: string, ref: string, at: string, worktree: string): Promise<void> => {
  const branch = ref.replace('refs/heads/', '')
  const another = `'aiswarm worktree restore ${worktree} --branch NAME' restores it on another branch.`
  const elsewhere = (await checkouts(root)).find((checkout) => checkout.branch === ref)
  if (elsewhere)
    throw new Refusal('invalid_state', `The branch ${branch} is checked out in ${elsewhere.path}; ${another}`)
  const now = await commitOf(root, ref)
  if (now === at) return
  if (now !== undefined)
    throw new Refusal(
      'invalid_state',
      `The branch ${branch} has moved since ${worktree} was archived (${at.slice(0, 9)} → ${now.slice(0, 9)}); ${another}`,
    )
  await git(root, ['update-ref', '--end-of-options', ref, at, ''])
}
