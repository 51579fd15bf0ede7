import type { Settings } from '../../domain/settings.ts'
import { perform } from '../../operations/kernel/perform.ts'
import type { IntegrationView } from '../../operations/kernel/views.ts'
import type { WorktreeWork } from '../../operations/read-wishes.ts'
import { recordCandidate } from '../../operations/record-candidate.ts'
import { recordVerification } from '../../operations/record-verification.ts'
import { parseSettings } from '../config.ts'
import { askGit, git } from '../git.ts'
import { branchRef, committer, commitOf, contains } from '../git-facts.ts'
import { withoutPrograms } from '../git-programs.ts'
import { firstLineOf } from '../git-words.ts'
import { missingTarget } from '../target-branch.ts'
import type { World } from '../world.ts'
import { checkGuard } from './guard.ts'
import { verify } from './verifier.ts'

export type OpenIntegration = IntegrationView & { readonly worktree: string }

/**
 * Makes the merge commit of a requested integration without touching any checkout (DESIGN section 6, step 1),
 * and verifies exactly that commit with the command that the target itself names (step 2).
 */
export const prepareIntegration = async (world: World, integration: OpenIntegration, worktree: WorktreeWork): Promise<void> => {
  const { core, actor } = world
  if (!(await checkGuard(world))) return
  const ofTarget = await integrationSettings(world, integration.target)
  let { mergeOid } = integration
  if (integration.status === 'requested') {
    // 'auto' needs both: the request allows it and the target's own configuration says it.
    const approval = integration.approval === 'auto' && ofTarget.approval === 'auto' ? 'auto' : 'human'
    const candidate = await candidateFor(core, integration, worktree)
    const { recorded } = await perform(core, recordCandidate, { id: integration.id, candidate, approval }, actor)
    if (!recorded || !('mergeOid' in candidate)) return
    mergeOid = candidate.mergeOid
  }
  const commit = mergeOid!
  const verification = ofTarget.verify === '' ? null : await verify(world, { commit, command: ofTarget.verify, integrations: [integration.id], worktree: worktree.name })
  await perform(core, recordVerification, { id: integration.id, mergeOid: commit, verification }, actor)
}

export const candidateRef = (id: number): string => `refs/aiswarm/candidate/${id}`

/** Two commits brought together: a commit, or the paths in which they conflict. */
export type Merge = { readonly mergeOid: string } | { readonly conflicts: readonly string[] } | { readonly problem: string }

/** The merge commit of two commits; the target itself where the branch has nothing that it lacks. */
export const mergeOf = async (root: string, { targetOid, branchOid, name, branch }: { targetOid: string; branchOid: string; name: string; branch: string }): Promise<Merge> => {
  const [contained, quiet, identity] = await Promise.all([contains(root, targetOid, branchOid), withoutPrograms(root), committer(root)])
  if (contained) return { mergeOid: targetOid }
  const { exitCode, stdout, stderr } = await askGit(root, ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', '--end-of-options', targetOid, branchOid], {
    answers: [1, 128],
    environment: quiet,
  })
  if (exitCode === 128 && stderr.includes('unrelated histories')) return { problem: `${branch} and its target have no commit in common, so they cannot be merged.` }
  if (exitCode === 128)
    return {
      problem: `git cannot merge ${branch}: ${firstLineOf(stderr)}.`,
    }
  const [tree = '', ...conflicts] = stdout.split('\0').filter(Boolean)
  if (exitCode === 1) return { conflicts: [...new Set(conflicts)] }
  const message = `Integrate worktree ${name} (${branch})\n`
  return { mergeOid: (await git(root, ['commit-tree', tree, '-p', targetOid, '-p', branchOid], { input: message, environment: identity })).trim() }
}

/** A ref keeps the merge commit from being collected before it has landed. */
export const keepCandidate = (root: string, id: number, mergeOid: string): Promise<string> => git(root, ['update-ref', candidateRef(id), mergeOid])

export const dropCandidate = (root: string, id: number): Promise<unknown> => askGit(root, ['update-ref', '-d', candidateRef(id)], { answers: [1, 128] })

type Candidate = { targetOid: string; branchOid: string; mergeOid: string } | { conflicts: string[] } | { problem: string }

const candidateFor = async ({ root, settings }: World['core'], { id, target }: OpenIntegration, { name, branch }: WorktreeWork): Promise<Candidate> => {
  const configured = settings.integration.target
  const [targetOid, branchOid] = await Promise.all([commitOf(root, branchRef(target)), commitOf(root, branchRef(branch))])
  if (targetOid === undefined)
    return {
      problem: `There is no branch ${target} to merge into${target === configured ? missingTarget : '; make it, or'} name ${target === configured ? 'one' : 'another'} with --target.`,
    }
  if (branchOid === undefined) return { problem: `The branch ${branch} is gone; make it again from its archive, or discard the worktree.` }
  const merge = await mergeOf(root, { targetOid, branchOid, name, branch })
  if ('conflicts' in merge) return { conflicts: [...merge.conflicts] }
  if ('problem' in merge) return merge
  await keepCandidate(root, id, merge.mergeOid)
  return { targetOid, branchOid, mergeOid: merge.mergeOid }
}

/** The integration section as it stands on the target; where no configuration is committed there, the one of the main checkout, but a person approves. */
export const integrationSettings = async ({ core, report }: World, target: string): Promise<Settings['integration']> => {
  const path = '.aiswarm/config.yaml'
  const { exitCode, stdout } = await askGit(core.root, ['cat-file', 'blob', `${branchRef(target)}:${path}`], { answers: [128] })
  if (exitCode !== 0) return { ...core.settings.integration, approval: 'human' }
  const { settings, warnings } = parseSettings(stdout, `${target}:${path}`)
  for (const warning of warnings) report(warning)
  return settings.integration
}
