import { existsSync, lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { committer } from './commits.ts'
import { withoutPrograms } from './drivers.ts'
import { askGit, git, type GitOptions } from './git.ts'

// Uncommitted changes of a checkout: listed, and committed, without a pipe that git would wait for.

/**
 * Paths with uncommitted changes, tracked or untracked; ignored ones only on request, as text or as bytes. Of a submodule
 * only its commit is compared: git would run a status inside of it, with the programs that its own configuration names.
 */
export const changedPaths = async (
  folder: string,
  { ignored = false, bytes = false, inside }: { ignored?: boolean; bytes?: boolean } & Inside = {},
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
  const out = await unlessPiped(folder, (signal) =>
    git(folder, args, { environment, signal, bytes, ...insideOf(inside) }),
  )
  return out
    .split('\0')
    .filter(Boolean)
    .map((entry) => ({ code: entry.slice(0, 2), path: entry.slice(3) }))
}

/** Words before git that start it inside a sandbox. */
type Inside = Pick<GitOptions, 'inside'>

const insideOf = (inside: Inside['inside']): Inside => (inside === undefined ? {} : { inside })

/** Commits every change in a worktree. Returns the new commit, or null if there was no change. */
export const commitAll = async (folder: string, message: string, { inside }: Inside = {}): Promise<string | null> => {
  const where = insideOf(inside)
  if (!existsSync(folder)) throw new Refusal('git_failed', `The folder ${folder} is gone.`)
  const changed = await changedPaths(folder, { bytes: true, ...where })
  if (changed.length === 0) return null
  const environment = await withoutPrograms(folder)
  // `git add --all` would run a status inside of each submodule.
  const words = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin']
  const input = changed.map(({ path }) => `${path}\0`).join('')
  await unlessPiped(folder, (signal) => git(folder, words, { environment, signal, input, bytes: true, ...where }))
  const { exitCode } = await askGit(folder, ['diff', '--cached', '--quiet', '--no-ext-diff'], {
    answers: [1],
    ...where,
  })
  if (exitCode === 0) return null
  await git(folder, ['commit', '--quiet', '--no-verify', '--file=-'], {
    input: message,
    environment: await committer(folder),
    ...where,
  })
  return (await git(folder, ['rev-parse', 'HEAD'], where)).trim()
}

// Git opens these files wherever it finds them, and blocks forever on a pipe that an agent has put in the place of one.

/** By folder, the pipe on which git has blocked. */
const known = new Map<string, string>()

/** Runs a git command in `folder`; if git blocks on a pipe, `signal` kills it and the refusal names the pipe. */
export const unlessPiped = async <T>(folder: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const before = known.get(folder)
  if (before !== undefined && isSpecial(before)) throw waiting(before)
  known.delete(folder)
  const stop = new AbortController()
  const answer = ask(stop.signal)
  let answered = false
  const end = answer.then(
    () => void (answered = true),
    () => void (answered = true),
  )
  await Promise.race([end, patience(end)])
  const pipe = answered ? undefined : await pipeIn(folder, () => answered)
  if (pipe === undefined) return answer
  known.set(folder, pipe)
  stop.abort()
  throw waiting(pipe)
}

export const waiting = (path: string): Refusal =>
  new Refusal('git_failed', `${path} is a pipe, a socket or a device, for which git would wait forever; remove it.`)

/** Milliseconds without output after which git is checked. */
const PATIENCE = 2000

const patience = (end: Promise<void>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE)
    void end.then(() => clearTimeout(timer))
  })

const names = new Set(['.gitignore', '.gitattributes'])

/** Searches all folders while git produces no output. */
const pipeIn = async (folder: string, answered: () => boolean): Promise<string | undefined> => {
  const folders = [folder]
  for (let at = folders.pop(); at !== undefined && !answered(); at = folders.pop()) {
    // A deleted folder contains no pipe.
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name)
      if (names.has(entry.name) && isSpecial(path)) return path
      if (entry.isDirectory() && entry.name !== '.git') folders.push(path)
    }
  }
  return undefined
}

const isSpecial = (path: string): boolean => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat !== undefined && !stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink()
}
