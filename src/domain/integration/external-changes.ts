import { countOf } from '../words/counts.ts'

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
