import { execFileSync, spawnSync } from 'node:child_process'

/** The commits of a merge that a person approved. */
export interface Approval {
  readonly targetOid: string
  readonly branchOid: string
  readonly mergeOid: string
}

/**
 * Names an approval. The merge alone does not: a worktree that a lost host had left without commits, and whose tasks another
 * one continued, has the merge of an earlier branch for its own.
 */
export const nameOf = ({ branchOid, mergeOid }: Approval): string => `${branchOid} ${mergeOid}`

export interface Landings {
  /** The commits to which the target has moved, oldest first. */
  readonly landed: readonly string[]
  /** How many of them carry over the approval of the same branch on an earlier commit of the target. */
  readonly carried: number
  readonly violations: readonly string[]
}

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim()

/**
 * Compares each move of the target with the approvals, each of which allows one move. An approved integration that waited
 * while another one landed is merged again on top of it. Its approval is still valid if the branch is the approved one, if
 * the approved commit of the target is an earlier one of it, and if the tree is only the merge of both.
 */
export const readLandings = (
  folder: string,
  { begin, target, approvals }: { begin: string; target: string; approvals: readonly Approval[] },
): Landings => {
  const landed = git(folder, 'rev-list', '--reverse', '--first-parent', `${begin}..${target}`)
    .split('\n')
    .filter(Boolean)
  // A branch without commits of its own has nothing to merge: its approval is of the target as it was.
  let unused = approvals.filter(({ targetOid, mergeOid }) => targetOid !== mergeOid)
  let carried = 0
  const violations: string[] = []
  const passed = [begin]
  for (const oid of landed) {
    const used =
      unused.find(({ mergeOid }) => mergeOid === oid) ??
      (isPlainMerge(folder, oid) ? unused.find((one) => carriesOver(folder, one, { oid, passed })) : undefined)
    if (used === undefined) violations.push(`${oid} was merged without an approval`)
    else if (used.mergeOid !== oid) carried++
    unused = unused.filter(({ branchOid }) => branchOid !== used?.branchOid)
    passed.push(oid)
  }
  return { landed, carried, violations }
}

const carriesOver = (
  folder: string,
  { targetOid, branchOid }: Approval,
  { oid, passed }: { readonly oid: string; readonly passed: readonly string[] },
): boolean => git(folder, 'rev-parse', `${oid}^2`) === branchOid && passed.includes(targetOid)

/** True for a commit of two parents whose tree git makes of them without help. */
const isPlainMerge = (folder: string, oid: string): boolean => {
  const [tree, ...parents] = git(folder, 'show', '--no-patch', '--format=%T %P', oid).split(' ')
  const again = spawnSync('git', ['-C', folder, 'merge-tree', '--write-tree', ...parents], { encoding: 'utf8' })
  return again.status === 0 && again.stdout.trim() === tree
}
