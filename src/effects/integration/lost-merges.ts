import { trackedRef } from '../../domain/host/remote.ts'
import { shortOid } from '../../domain/integration/external-changes.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { countOf } from '../../domain/words/counts.ts'
import type { LandedMerges } from '../../operations/database/maintenance.ts'
import { branchRef, commitOf, commitsOf } from '../git/commits.ts'
import { git } from '../git/git.ts'
import { fetchTarget } from '../remote/tips.ts'

/** Compares the merges of the board with git: a sentence for each that its target does not contain. */
export const findLostMerges = async (root: string, { remote, merges }: LandedMerges): Promise<readonly string[]> => {
  const findings: string[] = []
  for (const [target, landed] of Map.groupBy(merges, (merge) => merge.target)) {
    const { tip, problem } = await tipOf(root, remote, target)
    const lost = await outside(root, tip, new Set(landed.map(({ mergeOid }) => mergeOid)))
    if (lost.size > 0 && problem !== undefined)
      findings.push(`${target} was compared as it was last fetched. ${problem}`)
    if (tip === undefined)
      findings.push(
        `${target}, the target of ${countOf(landed.length, 'merge')}, is not a branch here. Create it again at its last commit.`,
      )
    else
      for (const { worktree, mergeOid } of landed.filter(({ mergeOid }) => lost.has(mergeOid)))
        findings.push(
          `${target} does not contain merge ${shortOid(mergeOid)} of worktree ${worktree}: something other than aiswarm moved the branch. See 'aiswarm target show ${target}', or merge that commit again.`,
        )
  }
  return findings
}

/** The last commit of a target: on the remote, if several hosts share one. */
const tipOf = async (
  root: string,
  remote: string | null,
  target: string,
): Promise<{ readonly tip: string | undefined; readonly problem?: string }> => {
  if (remote === null) return { tip: await commitOf(root, branchRef(target)) }
  try {
    return { tip: await fetchTarget({ root, url: remote }, target) }
  } catch (error) {
    if (!isRefusal(error)) throw error
    const fetched = await commitOf(root, trackedRef(target))
    return { tip: fetched ?? (await commitOf(root, branchRef(target))), problem: error.message }
  }
}

/** Those of the commits that a tip does not contain. */
const outside = async (
  root: string,
  tip: string | undefined,
  oids: ReadonlySet<string>,
): Promise<ReadonlySet<string>> => {
  if (tip === undefined) return oids
  const here = await commitsOf(root, [...oids])
  const known = [...oids].filter((oid) => here.has(oid))
  const beyond = new Set(
    (await git(root, ['rev-list', '--stdin'], { input: [`^${tip}`, ...known, ''].join('\n') })).split('\n'),
  )
  return new Set([...oids].filter((oid) => !here.has(oid) || beyond.has(oid)))
}
