import type { CommitSummary } from '../../contracts/review.ts'
import { askGit, git } from './git.ts'

// Questions about a repository, one git command each.

/** The commit that a branch (or any revision) names; undefined if there is none. */
export const commitOf = async (folder: string, revision: string): Promise<string | undefined> => {
  const { exitCode, stdout } = await askGit(
    folder,
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`],
    { answers: [1, 128] },
  )
  return exitCode === 0 ? stdout.trim() : undefined
}

/** As `commitOf` for many revisions in one process; revisions that name no commit are left out. */
export const commitsOf = async (folder: string, revisions: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  if (revisions.length === 0) return new Map()
  const input = revisions.map((revision) => `${revision}^{commit}\n`).join('')
  const { exitCode, stdout } = await askGit(folder, ['cat-file', '--batch-check=%(objecttype) %(objectname)'], {
    answers: [128],
    input,
  })
  const lines = stdout.split('\n')
  // Git stops at a damaged object, before the remaining revisions.
  const oids =
    exitCode === 0
      ? revisions.map((_, at) => /^commit (\w+)$/.exec(lines[at] ?? '')?.[1])
      : await Promise.all(revisions.map((revision) => commitOf(folder, revision)))
  return new Map(revisions.flatMap((revision, at) => (oids[at] === undefined ? [] : [[revision, oids[at]] as const])))
}

/** The format for `git log -z` that `commitIn` parses. Git truncates author and subject, which may have any length. */
export const commitFormat = '--format=%H%x09%<(300,trunc)%an%x09%aI%x09%<(2000,trunc)%s'

/** Git counts no columns for combining marks and invalid bytes. */
export const commitIn = (line: string): CommitSummary => {
  const [oid = '', author = '', at = '', ...subject] = line.split('\t')
  return { oid, author: author.slice(0, 300).trim(), at, subject: subject.join('\t').slice(0, 2000).trim() }
}

export const branchRef = (branch: string): string => `refs/heads/${branch}`

/** The first of these refs that only names another one (`git symbolic-ref`): to move it would move that other one. */
export const symbolicAmong = async (root: string, refs: readonly string[]): Promise<string | undefined> => {
  const listed = await git(root, ['for-each-ref', '--format=%(symref) %(refname)', ...refs])
  return refs.find((ref) => listed.split('\n').some((line) => line.endsWith(` ${ref}`) && !line.startsWith(' ')))
}

/** True if `descendant` contains every commit of `ancestor`. */
export const contains = async (folder: string, descendant: string, ancestor: string): Promise<boolean> =>
  (await askGit(folder, ['merge-base', '--is-ancestor', ancestor, descendant], { answers: [1] })).exitCode === 0

/** Name and mail address for commits that aiswarm makes: the person's own, or a stand-in if none is configured. */
export const committer = async (folder: string): Promise<Record<string, string>> => {
  const { exitCode } = await askGit(folder, ['config', '--get', 'user.email'], { answers: [1] })
  if (exitCode === 0) return {}
  return {
    GIT_AUTHOR_NAME: 'aiswarm',
    GIT_AUTHOR_EMAIL: 'aiswarm@localhost',
    GIT_COMMITTER_NAME: 'aiswarm',
    GIT_COMMITTER_EMAIL: 'aiswarm@localhost',
  }
}

/** Commits in `until` that are not in `since`, oldest first. */
export const commitsBetween = async (folder: string, since: string, until: string): Promise<readonly string[]> =>
  (await git(folder, ['rev-list', '--reverse', '--end-of-options', until, `^${since}`])).split('\n').filter(Boolean)
