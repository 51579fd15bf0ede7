import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { WorktreeObservation } from '../../contracts/observations.ts'
import { isRefusal } from '../../domain/rules/refusal.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import { branchRef, commitsOf } from '../git/commits.ts'
import { askGit, git } from '../git/git.ts'
import { changedPaths } from '../git/working-tree.ts'

/** The facts that depend only on two commits. */
type Seen = Omit<WorktreeObservation, 'name' | 'dirty' | 'problem'>

/** Observes worktrees. Facts that depend only on two commits are cached until a tip moves. */
export const worktreeObserver = (root: string, target: string) => {
  const remembered = new Map<string, Seen>()
  return async (worktrees: readonly WorktreeView[]): Promise<readonly WorktreeObservation[]> => {
    const observations: WorktreeObservation[] = []
    const ready = worktrees.filter(({ folder, path }) => folder === 'ready' && existsSync(path))
    if (ready.length === 0) return observations
    const refsOf = ({ branchName, integration }: WorktreeView): readonly [string, string] => [
      branchRef(integration?.target ?? target),
      branchRef(branchName),
    ]
    const tips = await commitsOf(root, [...new Set(ready.flatMap(refsOf))])
    for (const worktree of ready) {
      const { name, path } = worktree
      // The folder may have been deleted since the list was read.
      if (!existsSync(path)) continue
      const [onto, tip] = refsOf(worktree).map((ref) => tips.get(ref))
      const key = `${onto}..${tip}`
      const known =
        remembered.get(key) ??
        (onto === undefined || tip === undefined
          ? { ahead: 0, behind: 0, added: 0, removed: 0 }
          : await compare(root, onto, tip))
      remembered.set(key, known)
      observations.push({ name, ...known, ...(await dirtOf(path)) })
    }
    return observations
  }
}

/** Of more paths no times are read. */
const MOST_STAMPED = 300

const dirtOf = async (path: string): Promise<Pick<WorktreeObservation, 'dirty' | 'edited' | 'problem'>> => {
  try {
    const changed = await changedPaths(path)
    const times = changed.slice(0, MOST_STAMPED).flatMap((one) => writtenAt(join(path, one.path)) ?? [])
    return { dirty: changed.length, ...(times.length === 0 ? {} : { edited: Math.max(...times) }) }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { dirty: null, problem: error.message }
  }
}

/** Undefined for a deleted file. */
const writtenAt = (path: string): number | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs
  } catch {
    return undefined
  }
}

const compare = async (root: string, target: string, branch: string): Promise<Seen> => {
  const [behind = 0, ahead = 0] = (await git(root, ['rev-list', '--left-right', '--count', `${target}...${branch}`]))
    .trim()
    .split(/\s+/)
    .map(Number)
  const { exitCode, stdout } = await askGit(
    root,
    ['diff', '--shortstat', '--no-ext-diff', '--no-textconv', `${target}...${branch}`],
    { answers: [128] },
  )
  const count = (word: string): number =>
    exitCode === 0 ? Number(new RegExp(`(\\d+) ${word}`).exec(stdout)?.[1] ?? 0) : 0
  return { ahead, behind, added: count('insertion'), removed: count('deletion') }
}
