import { existsSync } from 'node:fs'
import { Refusal } from '../../domain/rules/refusal.ts'
import { byRisk } from '../../domain/integration/risk.ts'
import { risksOf } from '../../domain/integration/file-risks.ts'
import { type DiffIndex, indexDiff } from '../../domain/words/unified-diff.ts'
import { getWorktreeStatus } from '../../operations/worktrees/get-worktree-status.ts'
import type { CommitSummary } from '../../contracts/outside.ts'
import { perform } from '../../operations/door/perform.ts'
import type { Commits, Review, ReviewFile } from '../../operations/integration/review.ts'
import type { WorktreeView } from '../../operations/views/views.ts'
import { readClaims } from '../../operations/requests/read-claims.ts'
import { type ListedFile, listFiles, readDiff, readDiffs } from '../git/changed-files.ts'
import { askGit, git } from '../git/git.ts'
import { branchRef, changedPaths, commitOf, commitFormat, commitIn } from '../git/facts.ts'
import { factsOf, isTextAfterAll, scriptsOf } from './review-facts.ts'
import { mapConcurrently } from '../map-concurrently.ts'
import { touchedElsewhere } from '../worktrees/touched-elsewhere.ts'
import type { World } from '../world.ts'

/** Bytes of contents that are compared at once, and of the largest single file; larger ones are read on request. */
const AT_ONCE = 48 * 1024 * 1024
const SINGLE = 16 * 1024 * 1024

/** Everything that a person reads before approving an integration: of the merge itself, named by its commits. */
export const reviewOf = async (world: World, name: string): Promise<Review> => {
  const { core, actor } = world
  const worktrees = await perform(core, getWorktreeStatus, {}, actor)
  const worktree = worktrees.find((one) => one.name === name)
  if (!worktree) throw new Refusal('not_found', `There is no worktree ${name}; 'aiswarm worktree list' shows them.`)
  if (worktree.folder === 'gone') throw new Refusal('invalid_state', `Worktree ${name} is already ${worktree.status}.`)
  const target = worktree.integration?.target ?? core.settings.integration.target
  const { from, to, branch, base, candidate } = await endsOf(core.root, worktree, target)
  const [files, commits, uncommitted, tasks] = await Promise.all([
    filesOf(
      core.root,
      from,
      to,
      touchedElsewhere(
        core.root,
        target,
        worktrees.filter((one) => one.name !== name),
      ),
    ),
    commitsOf(core.root, base, branch),
    existsSync(worktree.path) ? changedPaths(worktree.path).then((paths) => paths.map(({ path }) => path)) : [],
    perform(core, readClaims, { worktreeName: name }, actor),
  ])
  return { worktree: name, target, candidate, from, to, commits, files, uncommitted, tasks }
}

/** The diff of a file that was too large to be read with the others. */
export const readFile = async (
  { core: { root } }: World,
  { from, to }: Pick<Review, 'from' | 'to'>,
  file: ReviewFile,
): Promise<DiffIndex> => {
  const index = indexDiff(await readDiff(root, from, to, file, false))
  return index.binary && (await isTextAfterAll(root, file))
    ? indexDiff(await readDiff(root, from, to, file, true))
    : index
}

interface Ends {
  readonly from: string
  readonly to: string
  /** The branch that is merged, and its target. */
  readonly branch: string
  readonly base: string
  readonly candidate: Commits | null
}

/** The recorded commits of the merge; without one the branch and its merge base with the target. */
const endsOf = async (root: string, { name, branchName, integration }: WorktreeView, target: string): Promise<Ends> => {
  const { targetOid, branchOid, mergeOid } = integration ?? {}
  if (targetOid && branchOid && mergeOid)
    return {
      from: targetOid,
      to: mergeOid,
      branch: branchOid,
      base: targetOid,
      candidate: { targetOid, branchOid, mergeOid },
    }
  const [base, branch] = await Promise.all([commitOf(root, branchRef(target)), commitOf(root, branchRef(branchName))])
  if (base === undefined) throw new Refusal('not_found', `There is no branch ${target} to compare ${name} with.`)
  if (branch === undefined) throw new Refusal('not_found', `The branch ${branchName} of ${name} is gone.`)
  const { exitCode, stdout } = await askGit(root, ['merge-base', base, branch], { answers: [1] })
  if (exitCode === 1)
    throw new Refusal(
      'git_failed',
      `${branchName} and ${target} have no commit in common, so there is nothing to compare.`,
    )
  const fork = stdout.trim()
  return { from: fork, to: branch, branch, base, candidate: null }
}

const filesOf = async (
  root: string,
  from: string,
  to: string,
  elsewhere: Promise<ReadonlyMap<string, readonly string[]>>,
): Promise<readonly ReviewFile[]> => {
  const listed = await listFiles(root, from, to)
  const most = largest(listed)
  const diffs = await readDiffs(root, from, to, listed, most)
  const others = await elsewhere
  const files = await mapConcurrently(listed, 4, async (file, n): Promise<ReviewFile> => {
    const read = indexDiff(diffs[n]!)
    const forced = read.binary && file.size <= most && (await isTextAfterAll(root, file))
    const index = forced ? indexDiff(await readDiff(root, from, to, file, true)) : read
    const content = !index.binary ? 'text' : file.size > most ? 'unread' : 'binary'
    const touching = [...new Set([file.path, file.from ?? file.path].flatMap((path) => others.get(path) ?? []))]
    const risks = risksOf(
      factsOf(file, index, { content, forced, scripts: await scriptsOf(root, file), elsewhere: touching }),
    )
    const lines = content === 'text' ? { added: index.added, removed: index.removed } : { added: null, removed: null }
    return { ...file, ...lines, content, diff: content === 'unread' ? null : index, risks }
  })
  return files.sort(byRisk)
}

/** The file size up to which all contents together stay within the limit for one read. */
const largest = (files: readonly ListedFile[]): number => {
  let sum = 0
  let most = 0
  for (const { size } of [...files].sort((a, b) => a.size - b.size)) {
    sum += size
    if (size > SINGLE || sum > AT_ONCE) break
    most = size
  }
  return Math.max(1, most)
}

const commitsOf = async (root: string, base: string, branch: string): Promise<readonly CommitSummary[]> =>
  (await git(root, ['log', '-z', commitFormat, `${base}..${branch}`])).split('\0').filter(Boolean).map(commitIn)
