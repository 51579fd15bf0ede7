import type { Settings } from '../domain/settings.ts'
import { beginMove } from '../operations/begin-move.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { IntegrationView } from '../operations/kernel/views.ts'
import type { WorktreeWork } from '../operations/read-wishes.ts'
import { recordCandidate } from '../operations/record-candidate.ts'
import { recordMove } from '../operations/record-move.ts'
import { recordVerification } from '../operations/record-verification.ts'
import { parseSettings } from './config.ts'
import { askGit, git } from './git.ts'
import { branchRef, checkouts, committer, commitOf, contains } from './git-facts.ts'
import { verify } from './verifier.ts'
import { holding, type World } from './world.ts'

export type OpenIntegration = IntegrationView & { readonly worktree: string }

/**
 * Makes the merge commit of a requested integration without touching any checkout (DESIGN section 6, step 1),
 * and verifies exactly that commit with the command that the target itself names (step 2).
 */
export const prepareIntegration = async (world: World, integration: OpenIntegration, worktree: WorktreeWork): Promise<void> => {
  const { core, actor } = world
  const ofTarget = await integrationSettings(world, integration.target)
  if (integration.status === 'requested') {
    // 'auto' needs both: the request allows it and the target's own configuration says it.
    const approval = integration.approval === 'auto' && ofTarget.approval === 'auto' ? 'auto' : 'human'
    await perform(core, recordCandidate, { id: integration.id, candidate: await merge(core.root, integration, worktree), approval }, actor)
    return
  }
  const mergeOid = integration.mergeOid!
  const verification = ofTarget.verify === '' ? null : await verify(world, integration.id, mergeOid, ofTarget.verify)
  await perform(core, recordVerification, { id: integration.id, mergeOid, verification }, actor)
}

/**
 * Moves the target to the approved commit (step 4): by compare-and-swap where it is checked out nowhere, else by
 * `merge --ff-only` in that checkout, which keeps unrelated edits and refuses on overlapping ones.
 */
export const landIntegration = (world: World, integration: OpenIntegration, worktree: WorktreeWork): Promise<void> =>
  // One target moves for one integration at a time: whoever comes second finds it moved and is made again.
  holding(world, `landing:${integration.target}`, () => land(world, integration, worktree))

const land = async (world: World, integration: OpenIntegration, worktree: WorktreeWork): Promise<void> => {
  const { core, actor } = world
  const { root } = core
  const end = (outcome: { kind: 'landed' } | { kind: 'held' | 'stale'; problem: string }) => perform(core, recordMove, { id: integration.id, outcome }, actor)
  const { targetOid, branchOid, mergeOid, target } = { ...integration, targetOid: integration.targetOid!, branchOid: integration.branchOid!, mergeOid: integration.mergeOid! }
  const now = await commitOf(root, branchRef(target))
  // A move that was interrupted behind its last step has landed.
  const landed = integration.status === 'moving' && now !== undefined && (await contains(root, now, mergeOid))
  if (!landed) {
    if (now !== targetOid) return void (await end({ kind: 'stale', problem: `${target} has moved since the merge was made; it is made again.` }))
    if ((await commitOf(root, branchRef(worktree.branch))) !== branchOid)
      return void (await end({ kind: 'stale', problem: `${worktree.branch} has moved since the merge was made; it is made again.` }))
    if (!(await perform(core, beginMove, { id: integration.id }, actor)).begun) return
    const problem = await move(root, target, targetOid, mergeOid)
    const moved = problem !== undefined && (await commitOf(root, branchRef(target))) !== targetOid
    if (problem !== undefined)
      return void (await end(moved ? { kind: 'stale', problem: `${target} has moved since the merge was made; it is made again.` } : { kind: 'held', problem }))
  }
  await end({ kind: 'landed' })
  await askGit(root, ['update-ref', '-d', candidateRef(integration.id)], { answers: [1, 128] })
}

export const candidateRef = (id: number): string => `refs/aiswarm/candidate/${id}`

type Candidate = { targetOid: string; branchOid: string; mergeOid: string } | { conflicts: string[] } | { problem: string }

const merge = async (root: string, { id, target }: OpenIntegration, { name, branch }: WorktreeWork): Promise<Candidate> => {
  const targetOid = await commitOf(root, branchRef(target))
  const branchOid = await commitOf(root, branchRef(branch))
  if (targetOid === undefined) return { problem: `there is no branch ${target} to integrate into` }
  if (branchOid === undefined) return { problem: `the branch ${branch} is gone` }
  // Nothing that the target lacks: integrating only closes the worktree.
  if (await contains(root, targetOid, branchOid)) return keep(root, id, { targetOid, branchOid, mergeOid: targetOid })
  const { exitCode, stdout } = await askGit(root, ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', '--end-of-options', targetOid, branchOid], { answers: [1] })
  const [tree = '', ...conflicts] = stdout.split('\0').filter(Boolean)
  if (exitCode === 1) return { conflicts: [...new Set(conflicts)] }
  const message = `Integrate worktree ${name} (${branch})\n`
  const mergeOid = (await git(root, ['commit-tree', tree, '-p', targetOid, '-p', branchOid], { input: message, environment: await committer(root) })).trim()
  return keep(root, id, { targetOid, branchOid, mergeOid })
}

/** A ref keeps the merge commit from being collected before it is approved. */
const keep = async (root: string, id: number, candidate: { targetOid: string; branchOid: string; mergeOid: string }): Promise<Candidate> => {
  await git(root, ['update-ref', candidateRef(id), candidate.mergeOid])
  return candidate
}

/** Moves the branch; gives the sentence why it could not, if so. */
const move = async (root: string, target: string, from: string, to: string): Promise<string | undefined> => {
  const checkout = (await checkouts(root)).find(({ branch }) => branch === branchRef(target))
  const { exitCode, stderr } = checkout
    ? await askGit(checkout.path, ['merge', '--ff-only', '--no-autostash', '--quiet', '--end-of-options', to], { answers: [1, 128] })
    : await askGit(root, ['update-ref', '--end-of-options', branchRef(target), to, from], { answers: [1, 128] })
  if (exitCode === 0) return undefined
  // git lists the files that it would overwrite, each behind a tab.
  const files = stderr.split('\n').flatMap((line) => (line.startsWith('\t') ? [line.trim()] : []))
  const where = checkout ? ` in ${checkout.path}` : ''
  if (files.length === 0)
    return `${target} could not be moved${where}: ${
      stderr
        .trim()
        .split('\n')[0]
        ?.replace(/^(error|fatal): /, '') ?? `exit code ${exitCode}`
    }`
  const named = files.slice(0, 5).join(', ') + (files.length > 5 ? `, and ${files.length - 5} more` : '')
  return `${named} would be overwritten, so ${target} could not be moved${where}. Commit or stash what you changed there, then approve again.`
}

/** The integration section as it stands on the target; where no configuration is committed there, the one of the main checkout, but a person approves. */
const integrationSettings = async ({ core, report }: World, target: string): Promise<Settings['integration']> => {
  const path = '.aiswarm/config.yaml'
  const { exitCode, stdout } = await askGit(core.root, ['cat-file', 'blob', `${branchRef(target)}:${path}`], { answers: [128] })
  if (exitCode !== 0) return { ...core.settings.integration, approval: 'human' }
  const { settings, warnings } = parseSettings(stdout, `${target}:${path}`)
  for (const warning of warnings) report(warning)
  return settings.integration
}
