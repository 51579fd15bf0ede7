import type { Census } from '../../contracts/observations.ts'
import { perform } from '../../operations/perform/perform.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import { pathIn, textOf } from '../files/entries.ts'
import { branchRef, commitOf, committer, contains } from '../git/commits.ts'
import { withoutPrograms } from '../git/drivers.ts'
import { askGit, git } from '../git/git.ts'
import { processesInside } from '../processes/in-folder.ts'
import type { World } from '../world.ts'
import { type Inspection, inspectWorktree } from './inspection.ts'
import { blobOf, blobOfBytes } from './objects.ts'

/** Counts everything that a worktree holds, without changing anything or running git in its folder. */
export const takeCensus = async ({ core, actor }: World, name: string): Promise<Census> => {
  const worktree = (await perform(core, getWorktreeStatus, { worktreeName: name }, actor))[0]!
  const { target } = core.settings.integration
  const place = { name, path: worktree.path, branch: worktree.branchName, target }
  return censusOf(core.root, place, await inspectWorktree(core.root, place))
}

export const censusOf = async (
  root: string,
  { branch, target }: { branch: string; target: string },
  found: Inspection,
): Promise<Census> => {
  const { head, survey, folder } = found
  const tip = head.oid ?? found.branchTip
  // The stash has a ref of its own.
  const stashed = new Set(found.stashes.map(({ oid }) => oid))
  const tips = [
    ...new Set(
      [head.oid, found.branchTip, ...found.loose.filter((oid) => !stashed.has(oid))].filter((oid) => oid !== null),
    ),
  ]
  return {
    ...(await changesOf(found)),
    ignored: survey.kept.filter(({ ignored, kind }) => ignored && kind !== 'folder').map(({ path }) => textOf(path)),
    beyond: survey.beyond.map(({ path }) => textOf(path)),
    regenerable: survey.regenerable.map(textOf),
    nested: survey.nested.map(textOf),
    special: survey.special.map(textOf),
    commits: tips.length === 0 ? 0 : await countLost(root, branch, tips),
    head: head.ref === branchRef(branch) ? null : (head.ref?.replace('refs/heads/', '') ?? head.oid),
    stashes: found.stashes.map(({ subject }) => subject),
    inProgress: found.inProgress,
    landed: {
      target,
      ...(tip === null ? { how: null, commits: 0, picked: 0 } : await landedIn(root, tip, branchRef(target))),
    },
    processes: folder === null ? [] : [...(await processesInside(root, folder))],
  }
}

/** Counts the commits that no other branch, tag or remote holds. */
const countLost = async (root: string, branch: string, tips: readonly string[]): Promise<number> => {
  // Before --branches, --exclude expects the name without refs/heads.
  const { stdout } = await askGit(
    root,
    ['rev-list', '--count', ...tips, '--not', `--exclude=${branch}`, '--branches', '--remotes', '--tags'],
    { timeout: 600_000 },
  )
  return Number(stdout)
}

/**
 * Compares files by the index's record of size and time; where that differs, by their raw bytes, so that no filter
 * runs.
 */
const changesOf = async ({
  folder,
  staged,
  committed,
  survey,
}: Inspection): Promise<Pick<Census, 'uncommitted' | 'untracked'>> => {
  if (folder === null) return { uncommitted: [], untracked: [] }
  const files = new Map(survey.kept.map((entry) => [entry.path, entry]))
  const last = new Map(committed.map((entry) => [entry.path, entry]))
  const tracked =
    staged.length === 0
      ? committed.map((entry) => ({ ...entry, stage: '0', modified: '', size: -1, skipped: false }))
      : staged
  const known = new Set(tracked.map(({ path }) => path))
  const changed = new Set(committed.filter(({ path }) => !known.has(path)).map(({ path }) => path))
  for (const { path, mode, oid, stage, modified, size, skipped } of tracked) {
    const before = last.get(path)
    const file = files.get(path)
    if (mode === '160000' && stage === '0' && before?.oid === oid) continue
    const sameAsLast = stage === '0' && before?.oid === oid && before.mode === mode
    if (sameAsLast && skipped && file === undefined) continue
    if (
      !sameAsLast ||
      file === undefined ||
      file.kind === 'folder' ||
      !(await looksLike(folder, file, { mode, oid, modified, size }))
    )
      changed.add(path)
  }
  const isNew = ({ path, kind, ignored }: (typeof survey.kept)[number]): boolean =>
    kind !== 'folder' && !ignored && !known.has(path) && !last.has(path)
  const inside = survey.nested.map((path) => `${path}/`)
  return {
    uncommitted: [...changed].map(textOf),
    // A nested repository is reported as one entry.
    untracked: survey.kept
      .filter((entry) => isNew(entry) && !inside.some((folder) => entry.path.startsWith(folder)))
      .map(({ path }) => textOf(path)),
  }
}

const looksLike = async (
  folder: string,
  file: Inspection['survey']['kept'][number],
  { mode, oid, modified, size }: { mode: string; oid: string; modified: string; size: number },
): Promise<boolean> => {
  const format = oid.length === 64 ? 'sha256' : 'sha1'
  if (file.kind === 'link') return mode === '120000' && blobOfBytes(Buffer.from(file.target, 'latin1'), format) === oid
  if ((mode === '100755') !== ((file.mode & 0o100) !== 0) || mode === '120000') return false
  const [seconds = '0', nanoseconds = '0'] = modified.split(':')
  const at = `${seconds}${nanoseconds.padStart(9, '0')}`
  if (file.size === size && file.stamp.split(' ')[2] === at) return true
  return (await blobOf(pathIn(folder, file.path), format)) === oid
}

/** Says whether a branch already contains the work of a commit, under whatever commits. */
interface Landed {
  /**
   * merged: its commits are in the branch; contained: merging it would change nothing; squashed: one commit holds the
   * same change; picked: every commit has a counterpart; null: not all of it.
   */
  readonly how: 'merged' | 'contained' | 'squashed' | 'picked' | null
  /** The number of its own commits without merges, and how many of them the branch has with the same change. */
  readonly commits: number
  readonly picked: number
}

/**
 * Compares by content: by the patch ids of each commit and of all commits together, and by the tree that a merge would
 * give.
 */
const landedIn = async (root: string, commit: string, target: string): Promise<Landed> => {
  const onto = await commitOf(root, target)
  if (onto === undefined) return { how: null, commits: 0, picked: 0 }
  if (await contains(root, onto, commit)) return { how: 'merged', commits: 0, picked: 0 }
  const picks = await cherry(root, onto, commit)
  const counts = { commits: picks.length, picked: picks.filter((sign) => sign === '-').length }
  const base = (await askGit(root, ['merge-base', '--end-of-options', onto, commit], { answers: [1] })).stdout.trim()
  if (base === '') return { how: null, ...counts }
  if (counts.commits > 0 && counts.picked === counts.commits) return { how: 'picked', ...counts }
  if (await changesNothing(root, onto, commit)) return { how: 'contained', ...counts }
  const asOne = await git(root, ['commit-tree', '-p', base, `${commit}^{tree}`], {
    input: 'All of it as one\n',
    environment: await committer(root),
  })
  return { how: (await cherry(root, onto, asOne.trim())).every((sign) => sign === '-') ? 'squashed' : null, ...counts }
}

/** One sign per commit that only `commit` has: `-` if the other side has the same change. */
const cherry = async (root: string, onto: string, commit: string): Promise<readonly string[]> =>
  (await git(root, ['cherry', onto, commit], { timeout: 600_000 }))
    .split('\n')
    .filter(Boolean)
    .map((line) => line[0]!)

const changesNothing = async (root: string, onto: string, commit: string): Promise<boolean> => {
  const environment = await withoutPrograms(root)
  const { exitCode, stdout } = await askGit(
    root,
    ['merge-tree', '--write-tree', '--no-messages', '--end-of-options', onto, commit],
    { answers: [1], environment },
  )
  return exitCode === 0 && stdout.trim() === (await git(root, ['rev-parse', `${onto}^{tree}`])).trim()
}
