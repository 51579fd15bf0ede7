import { existsSync } from 'node:fs'
import { Refusal } from '../domain/refusal.ts'
import type { CommitSummary } from '../operations/kernel/outside.ts'
import { askGit, git } from './git.ts'
import { enrolledRoot, placeOf } from './git-place.ts'
import { withoutPrograms } from './git-programs.ts'
import { unlessPiped } from './pipes.ts'

// Questions about a repository, each one git command.

/** The commit that a branch (or any revision) names; undefined where it names none. */
export const commitOf = async (folder: string, revision: string): Promise<string | undefined> => {
  const { exitCode, stdout } = await askGit(folder, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`], { answers: [1, 128] })
  return exitCode === 0 ? stdout.trim() : undefined
}

/** As `commitOf` for many, by revision, in one process; revisions that name no commit are left out. */
export const commitsOf = async (folder: string, revisions: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const input = revisions.map((revision) => `${revision}^{commit}\n`).join('')
  const { exitCode, stdout } = await askGit(folder, ['cat-file', '--batch-check=%(objecttype) %(objectname)'], { answers: [128], input })
  const lines = stdout.split('\n')
  // Git gives up at an object that is damaged, before it has come to the others.
  const oids = exitCode === 0 ? revisions.map((_, at) => /^commit (\w+)$/.exec(lines[at] ?? '')?.[1]) : await Promise.all(revisions.map((revision) => commitOf(folder, revision)))
  return new Map(revisions.flatMap((revision, at) => (oids[at] === undefined ? [] : [[revision, oids[at]] as const])))
}

/** For `git log -z`: what `commitIn` reads. Git itself cuts author and subject, which are as long as somebody made them. */
export const commitFormat = '--format=%H%x09%<(300,trunc)%an%x09%aI%x09%<(2000,trunc)%s'

/** Of marks that take no column, and of what is no text, git counts none. */
export const commitIn = (line: string): CommitSummary => {
  const [oid = '', author = '', at = '', ...subject] = line.split('\t')
  return { oid, author: author.slice(0, 300).trim(), at, subject: subject.join('\t').slice(0, 2000).trim() }
}

export const branchRef = (branch: string): string => `refs/heads/${branch}`

/** True where every commit of `ancestor` is contained in `descendant`. */
export const contains = async (folder: string, descendant: string, ancestor: string): Promise<boolean> =>
  (await askGit(folder, ['merge-base', '--is-ancestor', ancestor, descendant], { answers: [1] })).exitCode === 0

export interface Checkout {
  readonly path: string
  /** `refs/heads/…`, or null when detached. */
  readonly branch: string | null
  /** Why it is locked; null when it is not. */
  readonly lock: string | null
}

/**
 * Every checkout of the repository: the main one first, then the linked worktrees. Git names the main one after its git
 * folder, which is another place in a submodule and with `--separate-git-dir`; there it counts as what it was found to be.
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
      const value = (key: string): string | undefined => lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1)
      return { path: value('worktree') ?? '', branch: value('branch') ?? null, lock: value('locked') ?? null }
    })
}

/** Paths with uncommitted changes, tracked or not; ignored ones only when asked for. */
export const changedPaths = async (folder: string, { ignored = false } = {}): Promise<readonly { code: string; path: string }[]> => {
  const environment = await withoutPrograms(folder)
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', ...(ignored ? ['--ignored=traditional'] : [])]
  const out = await unlessPiped(folder, (signal) => git(folder, args, { environment, signal }))
  return out
    .split('\0')
    .filter(Boolean)
    .map((entry) => ({ code: entry.slice(0, 2), path: entry.slice(3) }))
}

/** Name and mail address for commits that aiswarm makes: the person's own, or a stand-in where none is configured. */
export const committer = async (folder: string): Promise<Record<string, string>> => {
  const { exitCode } = await askGit(folder, ['config', '--get', 'user.email'], { answers: [1] })
  if (exitCode === 0) return {}
  return { GIT_AUTHOR_NAME: 'aiswarm', GIT_AUTHOR_EMAIL: 'aiswarm@localhost', GIT_COMMITTER_NAME: 'aiswarm', GIT_COMMITTER_EMAIL: 'aiswarm@localhost' }
}

/** Commits everything that changed in a worktree; gives the new commit, or null when nothing had changed. */
export const commitAll = async (folder: string, message: string): Promise<string | null> => {
  if (!existsSync(folder)) throw new Refusal('git_failed', `The folder ${folder} is gone.`)
  if ((await changedPaths(folder)).length === 0) return null
  const environment = await withoutPrograms(folder)
  await unlessPiped(folder, (signal) => git(folder, ['add', '--all'], { environment, signal }))
  const { exitCode } = await askGit(folder, ['diff', '--cached', '--quiet', '--no-ext-diff'], { answers: [1] })
  if (exitCode === 0) return null
  await git(folder, ['commit', '--quiet', '--no-verify', '--file=-'], { input: message, environment: await committer(folder) })
  return (await commitOf(folder, 'HEAD')) ?? null
}

/** Commits in `until` that are not in `since`, oldest first. */
export const commitsBetween = async (folder: string, since: string, until: string): Promise<readonly string[]> =>
  (await git(folder, ['rev-list', '--reverse', '--end-of-options', until, `^${since}`])).split('\n').filter(Boolean)
