import { z } from 'zod'
import { setTargetWorktree, type TaskRow } from '../../db/tasks.ts'
import { insertWorktree, selectRestoring, selectWorktree, selectWorktrees } from '../../db/worktrees.ts'
import { checkBranchName, checkWorktreeName, genericNameWarning } from '../../domain/rules/names.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { placeWishIn } from '../../domain/task/metadata.ts'
import { once } from '../../domain/words/once.ts'
import { ownWorktreeName } from '../../domain/worktree/worktree.ts'
import { placeWorktree, type Wanted, worktreePath } from '../hosts/placement.ts'
import type { Context } from '../perform/core.ts'
import { findTask, findWorktree } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { hostLabels, lazyStrictObject } from '../perform/schemas.ts'
import { viewWorktrees, worktreeView } from '../views/worktrees.ts'

const input = lazyStrictObject(() => ({
  name: z.string().describe('1 to 50 letters, digits, - or _'),
  branchName: z.string().describe('Its branch; of an agent a new one, below agents/'),
  sourceBranch: z.string().min(1).optional().describe('Branch to fork from'),
}))

type Input = z.output<ReturnType<typeof input>>

/** The warning is null if the name needs none. */
const output = once(() => worktreeView().extend({ warning: z.string().nullable() }))

export const createWorktree = operation({
  name: 'create_worktree',
  summary: 'Create a git worktree with its branch next to the repository',
  access: 'write',
  authority: 'planner',
  input,
  output,
  run: (context, input) => addWorktree(context, { ...input, branchName: branchFor(context, input.branchName) }, {}),
  subject: (worktree) => ({ worktree: worktree.name, details: { branch: worktree.branchName, path: worktree.path } }),
  wish: (worktree) => ({ kind: 'build_worktree', worktree: worktree.name }),
  reread: async ({ db }, { name, warning }) => ({
    ...(await viewWorktrees(db, [await findWorktree(db, name)]))[0]!,
    warning,
  }),
})

/** The operation for a person who names the host, or labels that its host must have. */
export const createWorktreeOn = {
  ...createWorktree,
  input: input().extend({ host: z.string().min(1).optional(), labels: hostLabels().optional() }),
  run: (context: Context, { host, labels, ...named }: Input & Pick<Wanted, 'host' | 'labels'>) =>
    addWorktree(context, { ...named, branchName: branchFor(context, named.branchName) }, { host, labels }),
}

/** An agent gets a branch below a prefix, where it names no branch of a person. The builder checks that it is new. */
const branchFor = ({ actor, settings }: Context, branch: string): string => {
  const { agentBranches: prefix } = settings.worktrees
  return actor.kind !== 'agent' || branch.startsWith(prefix) ? branch : `${prefix}${branch}`
}

/** Adds the row of a worktree, on a host that is chosen for what it needs. */
export const addWorktree = async (
  context: Context,
  { name, branchName, sourceBranch }: Input,
  wanted: Omit<Wanted, 'worktree'>,
): Promise<z.output<ReturnType<typeof output>>> => {
  const { db, now, actor, settings } = context
  checkWorktreeName(name)
  checkBranchName(branchName)
  const source = sourceBranch ?? settings.integration.target
  checkBranchName(source)
  await refuseTaken(context, name, branchName)
  const { hostId, root } = await placeWorktree(context, { ...wanted, worktree: name })
  await insertWorktree(db, {
    name,
    branch_name: branchName,
    source_branch: source,
    created_by: actor.id,
    created_at: now,
    status: 'active',
    path: worktreePath({ root, settings }, name),
    folder: 'building',
    host_id: hostId,
    labels: JSON.stringify(wanted.labels ?? []),
  })
  return {
    ...(await viewWorktrees(db, [await findWorktree(db, name)]))[0]!,
    warning: genericNameWarning(name) ?? null,
  }
}

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

/**
 * Creates a separate worktree for a task that names none, on a branch of the same name; a loop builds it. Returns the
 * changed task. `kind` is that of the agent that will work there.
 */
export const giveOwnWorktree = async (context: Context, task: TaskRow, kind: string): Promise<TaskRow> => {
  const { db } = context
  const name = ownWorktreeName(task.id, task.title)
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name.slice(0, 46)}-${n}`
    if (await selectWorktree(db, free)) continue
    await addWorktree(context, { name: free, branchName: free }, { kind, ...placeWishIn(task.metadata) })
    await setTargetWorktree(db, task.id, free)
    return findTask(db, task.id)
  }
}
