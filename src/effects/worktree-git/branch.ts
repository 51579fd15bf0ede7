import { isRefusal } from '../../domain/rules/refusal.ts'
import { commitOf, contains } from '../git/commits.ts'
import { askGit, firstLineOf, git } from '../git/git.ts'
import {
  administrationOf,
  branchIn,
  bringIndex,
  indexedCommit,
  isMade,
  makeWorktreeGit,
  type Opened,
  removeWorktreeGit,
  setAside,
  type WorktreeGit,
} from './folder.ts'
import { importCommits } from './import.ts'
import { keepTips, keptFolder } from './kept.ts'
import { showRefs } from './shown-refs.ts'

// The branch of a worktree exists twice: in the repository, and in the worktree's own git. What was committed inside moves
// the one in the repository, which the board names; nothing else that is called a ref inside counts.

/** Makes the worktree's git for a start, or brings an existing one to what the repository and its checkout are now. */
export const prepareGit = async ({ own, inside }: Opened): Promise<void> => {
  if (isMade(own)) {
    if (await isUsable({ own, inside })) return showRefs({ own, inside })
    // A person works there now, or has, or a program has spoilt it: the run continues from the repository's state.
    await releaseGit({ own, inside })
  }
  await makeWorktreeGit(own)
  await holdBase(own)
}

/** Whether the worktree's git is on the branch and at the commit of the repository, and can be read at all. */
const isUsable = async (opened: Opened): Promise<boolean> => {
  const ref = branchIn(administrationOf(opened.own))
  try {
    return (await headInside(opened)) === ref && (ref === null || (await isSame(opened, ref)))
  } catch (error) {
    // A pipe in the place of a file keeps git waiting.
    if (!isRefusal(error) || error.code !== 'git_failed') throw error
    return false
  }
}

/**
 * Brings what only the worktree's own git has into the repository, and removes it. What cannot come out stays in it, under
 * another name, which is returned with the reason.
 */
export const releaseGit = async (
  opened: Opened,
): Promise<{ readonly place: string; readonly why: string } | undefined> => {
  const { own } = opened
  try {
    await keepTips(opened)
    removeWorktreeGit(own)
    return undefined
  } catch (error) {
    if (!isRefusal(error) || !['import_refused', 'git_failed', 'git_misled'].includes(error.code)) throw error
    return { place: setAside(own), why: error.message }
  }
}

const headInside = async ({ own, inside }: Opened): Promise<string | null> => {
  const answer = await askGit(own.worktree, ['symbolic-ref', '--quiet', 'HEAD'], {
    answers: [1, 128],
    inside,
    timeout: PATIENCE,
  })
  return answer.exitCode === 0 ? answer.stdout.trim() : null
}

const isSame = async (opened: Opened, ref: string): Promise<boolean> => {
  await importBranch(opened, ref, 'aiswarm: commits of an earlier run')
  return (await tipInside(opened, ref)) === (await commitOf(opened.own.root, ref))
}

/** The commit that a ref names inside; undefined if it names none. */
export const tipInside = async ({ own, inside }: Opened, ref: string): Promise<string | undefined> => {
  const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]
  const { exitCode, stdout } = await askGit(own.worktree, words, { answers: [1, 128], inside, timeout: PATIENCE })
  return exitCode === 0 && OID.test(stdout.trim()) ? stdout.trim() : undefined
}

const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** How long git inside may say nothing (ms): the program may have put a pipe in the place of a file. */
const PATIENCE = 30_000

/**
 * Brings the commits of the branch into the repository and moves it there, or moves it inside if only a person has moved
 * it. `note` goes into the log of the ref; `tip` is where it is inside, if that is known. Returns a sentence if neither was
 * possible; then each side keeps what it has.
 */
export const importBranch = async (
  opened: Opened,
  ref: string,
  note: string,
  known?: string,
): Promise<string | undefined> => {
  const { own } = opened
  try {
    const tip = known ?? (await tipInside(opened, ref))
    const { outside, base, symbolic } = await outsideOf(own, ref)
    if (tip === undefined) return undefined
    // A process that was killed may not have come to the index.
    if (tip === outside) {
      if (tip !== base) await holdBase(own, tip)
      return await index(own, ref, { from: tip, to: tip })
    }
    if (outside === undefined)
      return `${ref} was deleted outside; its commits stay in the worktree's git until it is there again`
    if (symbolic) return `${ref} is a symbolic ref, which aiswarm does not move; make it a branch`
    if (tip === base) return await moveInside(opened, ref, { from: tip, to: outside })
    await importCommits(own, opened.inside, [tip], base === undefined || base === outside ? [outside] : [outside, base])
    if (outside !== base && !(await contains(own.root, tip, outside))) {
      await git(own.root, ['update-ref', '--no-deref', `${keptFolder(own)}/${tip.slice(0, 12)}`, tip])
      return `${ref} was moved to ${outside} outside while the run moved it to ${tip}, which is kept in ${keptFolder(own)}; merge them by hand`
    }
    const { exitCode, stderr } = await askGit(own.root, ['update-ref', '--no-deref', '-m', note, '--stdin'], {
      input: `update ${ref} ${tip} ${outside}\nupdate ${baseRef(own)} ${tip}\n`,
      answers: [1, 128],
    })
    // Another process may have done the same just now.
    if (exitCode !== 0 && (await commitOf(own.root, ref)) !== tip)
      return `${ref} could not be moved to ${tip}: ${firstLineOf(stderr)}`
    return await index(own, ref, { from: outside, to: tip })
  } catch (error) {
    if (!isRefusal(error)) throw error
    return `the commits of ${ref} stay in the worktree's git: ${error.message}`
  }
}

/** Brings the index outside along. Returns a sentence if that is not possible. */
const index = async (
  own: WorktreeGit,
  ref: string,
  move: { readonly from: string; readonly to: string },
): Promise<string | undefined> => {
  if (indexedCommit(own) === move.to || (await bringIndex(own, ref, move))) return undefined
  return `what is staged in ${own.worktree} is in the way of the run's commits: unstage it there (git reset), or commit it elsewhere`
}

/** Where the branch is in the repository, the last commit that both sides had, and whether the ref is a symbolic one. */
const outsideOf = async (own: WorktreeGit, ref: string) => {
  const format = '--format=%(refname) %(objectname) %(symref)'
  const listed = await git(own.root, ['for-each-ref', format, ref, baseRef(own)])
  const line = (name: string): readonly string[] =>
    listed
      .split('\n')
      .find((one) => one.startsWith(`${name} `))
      ?.split(' ') ?? []
  return { outside: line(ref)[1], base: line(baseRef(own))[1], symbolic: (line(ref)[2] ?? '') !== '' }
}

/** Holds what the worktree's git has taken from the repository, so that a person's `git gc` leaves it there. */
const baseRef = ({ id }: WorktreeGit): string => `refs/aiswarm/base/${id}`

const holdBase = async (own: WorktreeGit, commit?: string): Promise<void> => {
  const ref = branchIn(administrationOf(own))
  const oid = commit ?? (await commitOf(own.root, ref ?? (await detachedAt(own))))
  if (oid !== undefined) await git(own.root, ['update-ref', '--no-deref', baseRef(own), oid])
}

const detachedAt = async (own: WorktreeGit): Promise<string> =>
  (await git(own.root, [`--git-dir=${administrationOf(own)}`, 'rev-parse', 'HEAD'])).trim()

/** A person has moved the branch and the run has nothing of its own: its git follows. */
const moveInside = async (
  opened: Opened,
  ref: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<undefined> => {
  const { own, inside } = opened
  const answers = [1, 128]
  // A change that is staged inside stays; where the person has changed the same file, the index keeps the old side.
  await askGit(own.worktree, ['read-tree', '-m', '-i', from, to], { inside, answers })
  const words = ['update-ref', '--no-deref', '-m', 'aiswarm: moved outside', ref, to, from]
  const { exitCode } = await askGit(own.worktree, words, { inside, answers })
  if (exitCode === 0) await holdBase(own, to)
  return undefined
}

/** The repository need no longer hold what the worktree's git has taken from it. */
export const releaseBase = async (own: WorktreeGit): Promise<void> => {
  await askGit(own.root, ['update-ref', '-d', baseRef(own)], { answers: [1, 128] })
}
