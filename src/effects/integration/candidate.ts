import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { refusalOfWords } from '../../domain/rules/system-error.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { recordCandidate } from '../../operations/integration/merge.ts'
import { recordVerification } from '../../operations/integration/verification.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { WorktreeWork } from '../../operations/supervision/wishes.ts'
import type { IntegrationView } from '../../operations/views/worktrees.ts'
import { parseSettings } from '../configuration/config.ts'
import { branchRef, committer, contains, symbolicAmong } from '../git/commits.ts'
import { withoutPrograms } from '../git/drivers.ts'
import { askGit, firstLineOf, git } from '../git/git.ts'
import { missingTarget } from '../git/repository.ts'
import { checkGuard } from '../guard/guard.ts'
import { keepCandidate, publishCandidate } from '../remote/candidates.ts'
import type { Remote } from '../remote/remote.ts'
import { type Ends, endsOf, remoteOf, targetRevision } from '../remote/tips.ts'
import { importOwnGit } from '../sandbox/confinement.ts'
import type { World } from '../world.ts'
import { proveContent, proveFile } from './content.ts'
import { verify, verifyWithTargetTests } from './verification.ts'

export type OpenIntegration = IntegrationView & { readonly worktree: string }

/**
 * Creates the merge commit of a requested integration without touching any checkout, and verifies exactly that commit
 * with the command that the target branch configures.
 */
export const prepareIntegration = async (
  world: World,
  integration: OpenIntegration,
  worktree: WorktreeWork,
): Promise<boolean> => {
  const { core, actor } = world
  if (!(await checkGuard(world))) return true
  await importOwnGit(world, worktree.branch)
  const remote = await remoteOf(world)
  const ends =
    integration.status === 'requested' ? await endsOf(world, remote, integration.target, worktree) : integration
  if (ends === undefined) return false
  const ofTarget = await integrationSettings(world, integration.target, remote)
  let { mergeOid } = integration
  if (integration.status === 'requested') {
    // 'auto' requires both the request and the target's own configuration.
    const approval = integration.approval === 'auto' && ofTarget.approval === 'auto' ? 'auto' : 'human'
    const candidate = await candidateFor(core, integration, worktree, ends as Ends)
    if ('mergeOid' in candidate) await publishCandidate(remote, integration, candidate.mergeOid)
    const { recorded } = await perform(core, recordCandidate, { id: integration.id, candidate, approval }, actor)
    if (!recorded || !('mergeOid' in candidate)) return true
    mergeOid = candidate.mergeOid
  }
  const commit = mergeOid!
  const toVerify = { commit, command: ofTarget.verify, integrations: [integration.id], worktree: worktree.name }
  const own = ofTarget.verify === '' ? null : await verify(world, toVerify)
  // A failed verification needs no second word.
  const targetTests =
    own?.exitCode === 0 ? await verifyWithTargetTests(world, toVerify, ends.targetOid!, ofTarget.tests) : null
  const verification = own === null ? null : { ...own, targetTests }
  await perform(core, recordVerification, { id: integration.id, mergeOid: commit, verification }, actor)
  return true
}

type Candidate =
  { targetOid: string; branchOid: string; mergeOid: string } | { conflicts: string[] } | { problem: string }

const candidateFor = async (
  { root, settings }: World['core'],
  { id, target }: OpenIntegration,
  { name, branch }: WorktreeWork,
  { targetOid, branchOid, problem }: Ends,
): Promise<Candidate> => {
  if (problem !== undefined) return { problem }
  const configured = settings.integration.target
  if (targetOid === undefined)
    return {
      problem: `There is no branch ${target} to merge into${target === configured ? missingTarget : '; create it, or'} name ${target === configured ? 'one' : 'another'} with --target.`,
    }
  if (branchOid === undefined)
    return { problem: `The branch ${branch} is gone; restore it from its archive, or discard the worktree.` }
  const symbolic = await symbolicAmong(root, [branchRef(target), branchRef(branch)])
  if (symbolic !== undefined)
    return {
      problem: `${symbolic} is a symbolic ref, which aiswarm neither merges nor moves; make it a branch of its own.`,
    }
  const merge = await mergeOf(root, { targetOid, branchOid, name, branch })
  if ('conflicts' in merge) return { conflicts: [...merge.conflicts] }
  if ('problem' in merge) return merge
  const rewritten = await whyRewritten(proveContent(root, merge.mergeOid, targetOid))
  if (rewritten !== undefined) return { problem: rewritten }
  await keepCandidate(root, id, merge.mergeOid)
  return { targetOid, branchOid, mergeOid: merge.mergeOid }
}

/** Why a proof of content has failed; undefined if it has not. */
export const whyRewritten = async (proof: Promise<void>): Promise<string | undefined> => {
  try {
    await proof
    return undefined
  } catch (error) {
    if (!isRefusal(error) || error.code !== 'git_failed') throw error
    return error.message
  }
}

/**
 * The integration section of the configuration on the target branch. If none is committed there, that of the main
 * checkout, but then a person must approve.
 */
export const integrationSettings = async (
  world: World,
  target: string,
  remote: Remote | undefined,
): Promise<Settings['integration']> => {
  const { core, report } = world
  const path = '.aiswarm/config.yaml'
  const revision = await targetRevision(world, remote, target)
  const { exitCode, stdout } = await askGit(core.root, ['cat-file', 'blob', `${revision}:${path}`], {
    answers: [128],
  })
  if (exitCode !== 0) return { ...core.settings.integration, approval: 'human' }
  await proveFile(core.root, revision, path)
  const { settings, warnings } = parseSettings(stdout, `${target}:${path}`)
  for (const warning of warnings) report(warning)
  return settings.integration
}

/** The result of merging two commits: a commit, the conflicting paths, or an error. */
type Merge = { readonly mergeOid: string } | { readonly conflicts: readonly string[] } | { readonly problem: string }

/** The merge commit of two commits, or the target itself if it contains the branch. */
export const mergeOf = async (
  root: string,
  { targetOid, branchOid, name, branch }: { targetOid: string; branchOid: string; name: string; branch: string },
): Promise<Merge> => {
  const [contained, quiet, identity] = await Promise.all([
    contains(root, targetOid, branchOid),
    withoutPrograms(root),
    committer(root),
  ])
  if (contained) return { mergeOid: targetOid }
  const merge = () =>
    askGit(
      root,
      ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', '--end-of-options', targetOid, branchOid],
      { answers: [1, 128], environment: quiet },
    )
  const first = await merge()
  // Git may report a temporary error of the system as a corrupt object, so only a second failure is reported.
  const { exitCode, stdout, stderr } = first.exitCode === 128 && !isUnrelated(first.stderr) ? await merge() : first
  if (exitCode === 128 && isUnrelated(stderr))
    return { problem: `${branch} and its target have no commit in common, so they cannot be merged.` }
  // A full disk does not mean that the branches cannot be merged: the request stays and is retried.
  const failed = exitCode === 128 ? refusalOfWords(stderr, `git merge-tree of ${branch}`) : undefined
  if (failed) throw failed
  const damaged =
    exitCode === 128
      ? /loose object ([0-9a-f]{40,64}) .*is corrupt|unable to read (?:\w+ )?\(?([0-9a-f]{40,64})/.exec(stderr)
      : null
  const named = damaged?.[1] ?? damaged?.[2]
  if (named !== undefined && (await canRead(root, named)))
    throw new Refusal(
      'disk_failed',
      `git could not read object ${named.slice(0, 8)} while it merged ${branch}, but can read it now. Check the disk (dmesg), then try again.`,
    )
  if (exitCode === 128)
    return {
      problem: `git cannot merge ${branch}: ${firstLineOf(stderr)}.`,
    }
  const [tree = '', ...conflicts] = stdout.split('\0').filter(Boolean)
  if (exitCode === 1) return { conflicts: [...new Set(conflicts)] }
  const message = `Integrate worktree ${name} (${branch})\n`
  return {
    mergeOid: (
      await git(root, ['commit-tree', tree, '-p', targetOid, '-p', branchOid], {
        input: message,
        environment: identity,
      })
    ).trim(),
  }
}

/** True if git can read the whole object; a "corrupt object" error was then a temporary error of the system. */
const canRead = async (root: string, oid: string): Promise<boolean> =>
  (await askGit(root, ['cat-file', '-p', oid], { answers: [1, 128] })).exitCode === 0

const isUnrelated = (said: string): boolean => said.includes('unrelated histories')
