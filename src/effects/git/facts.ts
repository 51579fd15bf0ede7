import { existsSync } from 'node:fs'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { CommitSummary } from '../../contracts/review.ts'
import { askGit, git } from './git.ts'
import { enrolledRoot, placeOf } from '../files/git-place.ts'
import { withoutPrograms } from './programs.ts'
import { unlessPiped } from '../processes/pipes.ts'

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

/** True if `descendant` contains every commit of `ancestor`. */
export const contains = async (folder: string, descendant: string, ancestor: string): Promise<boolean> =>
  (await askGit(folder, ['merge-base', '--is-ancestor', ancestor, descendant], { answers: [1] })).exitCode === 0

export interface Checkout {
  readonly path: string
  /** `refs/heads/…`, or null when detached. */
  readonly branch: string | null
  /** The lock reason; null when it is not locked. */
  readonly lock: string | null
}

/**
 * Every checkout of the repository: the main one first, then the linked worktrees. Git derives the main one from its
 * git folder, which is wrong in a submodule and with `--separate-git-dir`; there the registered path is used.
 */
export const checkouts = async (folder: string): Promise<readonly Checkout[]> => {
  const main = enrolledRoot(placeOf(folder)?.gitDir ?? folder)
  const [first, ...linked] = await listed(folder)
  return first === undefined ? [] : [main === undefined ? first : { ...first, path: main }, ...linked]
}

const listed = async (folder: string): Promise<readonly Checkout[]> => {
  const out = await git(folder, ['worktree', 'list', '--porcelain', '-z'])
  return out
    .split('\0\0')
    .filter(Boolean)
    .map((entry) => {
      const lines = entry.split('\0')
      const value = (key: string): string | undefined =>
        lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1)
      return { path: value('worktree') ?? '', branch: value('branch') ?? null, lock: value('locked') ?? null }
    })
}

/**
 * Paths with uncommitted changes, tracked or untracked; ignored ones only on request, as text or
 * as bytes. Of a submodule only its commit is
 * compared: git would run a status inside of it, with the programs that its own configuration names.
 */
export const changedPaths = async (
  folder: string,
  { ignored = false, bytes = false } = {},
): Promise<readonly { code: string; path: string }[]> => {
  const environment = await withoutPrograms(folder)
  const args = [
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignore-submodules=dirty',
    ...(ignored ? ['--ignored=traditional'] : []),
  ]
  const out = await unlessPiped(folder, (signal) => git(folder, args, { environment, signal, bytes }))
  return out
    .split('\0')
    .filter(Boolean)
    .map((entry) => ({ code: entry.slice(0, 2), path: entry.slice(3) }))
}

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

/** Commits every change in a worktree. Returns the new commit, or null if there was no change. */
export const commitAll = async (folder: string, message: string): Promise<string | null> => {
  if (!existsSync(folder)) throw new Refusal('git_failed', `The folder ${folder} is gone.`)
  const changed = await changedPaths(folder, { bytes: true })
  if (changed.length === 0) return null
  const environment = await withoutPrograms(folder)
  // `git add --all` would run a status inside of each submodule.
  const words = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin']
  const input = changed.map(({ path }) => `${path}\0`).join('')
  await unlessPiped(folder, (signal) => git(folder, words, { environment, signal, input, bytes: true }))
  const { exitCode } = await askGit(folder, ['diff', '--cached', '--quiet', '--no-ext-diff'], { answers: [1] })
  if (exitCode === 0) return null
  await git(folder, ['commit', '--quiet', '--no-verify', '--file=-'], {
    input: message,
    environment: await committer(folder),
  })
  return (await commitOf(folder, 'HEAD')) ?? null
}

/** Commits in `until` that are not in `since`, oldest first. */
export const commitsBetween = async (folder: string, since: string, until: string): Promise<readonly string[]> =>
  (await git(folder, ['rev-list', '--reverse', '--end-of-options', until, `^${since}`])).split('\n').filter(Boolean)
