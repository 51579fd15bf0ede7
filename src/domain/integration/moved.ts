import { countOf, someOf } from '../words/count.ts'
import { type Said, sentence } from '../words/said.ts'

// Describes changes by other programs: a target branch that was moved, and files of the main checkout.

/** The commits that only one of two positions has. */
export interface CommitsBetween {
  /** The number of commits that the target has gained and lost by the move. */
  readonly added: number
  readonly dropped: number
  /** The newest of the added ones, such as `e6ac169 Fix the login (Ada)`. */
  readonly newest: readonly string[]
}

export interface TargetMove {
  readonly target: string
  /** Null if the branch did not exist. */
  readonly from: string | null
  readonly to: string | null
  readonly commits: CommitsBetween
  /** Agents that ran at the time of the move, or had ended within the minute before. */
  readonly agents: readonly string[]
  /** The reason why it could not be reset, if that was tried. */
  readonly problem: string | null
}

/**
 * Names the agents that ran, but does not claim that one of them moved the branch: a person may have committed at the
 * same time.
 */
export const movedSaid = ({ target, from, to, commits, agents, problem }: TargetMove): Said => {
  const way =
    to === null
      ? `was deleted at ${shortOid(from)}`
      : from === null
        ? `was created at ${shortOid(to)}`
        : `moved from ${shortOid(from)} to ${shortOid(to)}`
  return {
    text: `${target} ${way} while ${agentList(agents)} ran, and aiswarm did not move it`,
    evidence: sentence(
      problem,
      to === null ? null : commitsWords(commits),
      commits.newest[0] === undefined ? null : `newest: ${commits.newest[0]}`,
    ),
    like: null,
  }
}

export const commitsWords = ({ added, dropped }: CommitsBetween): string =>
  [
    added > 0 || dropped === 0 ? `${countOf(added, 'commit')} added` : null,
    dropped > 0 ? `${countOf(dropped, 'commit')} removed` : null,
  ]
    .filter(Boolean)
    .join(', ')

/** By path git's status of a file and a hash of its content, such as ` M 3a5f…`; HEAD is one of the entries. */
export type CheckoutFiles = Readonly<Record<string, string>>

/** The entries of a path before and after; empty if git reports nothing, or it is as committed. */
export interface FileChange {
  readonly path: string
  readonly before: string
  readonly after: string
}

/** The key of the checkout's branch among its files: no path begins like that. */
export const HEAD_ENTRY = ' HEAD'

export interface CheckoutChange {
  readonly changes: readonly FileChange[]
  readonly agents: readonly string[]
}

export const checkoutSaid = ({ changes, agents }: CheckoutChange): Said => {
  const paths = changes.map(({ path }) => (path === HEAD_ENTRY ? 'the branch' : path))
  const what = paths.length === 1 ? paths[0]! : `${paths.length} files`
  return {
    text: `${what} changed in the main checkout while ${agentList(agents)} ran in ${agents.length === 1 ? 'its worktree' : 'their worktrees'}`,
    evidence: sentence(
      ...changes.slice(0, 3).map(changeWords),
      changes.length > 3 ? `${changes.length - 3} more` : null,
      'you may have made the change yourself',
    ),
    like: null,
  }
}

/** Such as `README.md edited`. */
export const changeWords = ({ path, before, after }: FileChange): string => {
  if (path === HEAD_ENTRY) return `the checkout is on ${after} (was ${before})`
  const [was, is] = [codeOf(before), codeOf(after)]
  if (is === '') return `${path} matches HEAD again; its earlier changes are gone`
  if (is.includes('D')) return `${path} deleted`
  if (is === '??') return was === '' ? `${path} new` : `${path} edited`
  return is.endsWith(' ') && hashOf(before) === hashOf(after) && was !== ''
    ? `${path} staged`
    : `${path} ${is.startsWith('A') ? 'new, staged' : is.endsWith(' ') ? 'edited, staged' : 'edited'}`
}

/** Git's two letters; empty for a file that git does not report. */
export const codeOf = (print: string): string => (print === '' ? '' : print.slice(0, 2))
export const hashOf = (print: string): string => print.slice(3)

export const shortOid = (oid: string | null): string => oid?.slice(0, 8) ?? 'nothing'

const agentList = (agents: readonly string[]): string => {
  if (agents.length <= 3)
    return agents.length < 2 ? (agents[0] ?? 'an agent') : `${agents.slice(0, -1).join(', ')} and ${agents.at(-1)!}`
  return `${someOf(agents, 2)} agents`
}
