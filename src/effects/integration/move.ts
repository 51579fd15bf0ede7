import { askGit, firstLineOf } from '../git/git.ts'
import { branchRef, commitOf } from '../git/commits.ts'

export interface Move {
  /** The id of the integration. */
  readonly id: number
  readonly target: string
  readonly from: string
  readonly to: string
  /** For the reflog. */
  readonly message: string
  /** The target is already there; only remains of a crash must be removed. */
  readonly landed: boolean
  /** A process had begun the move before. */
  readonly resumed: boolean
}

/**
 * `held`: the target cannot be moved now, and a person must act; `stale`: it has moved elsewhere; `busy`: another
 * process is moving it.
 */
export type Moved =
  { readonly kind: 'moved' } | { readonly kind: 'busy' } | { readonly kind: 'held' | 'stale'; readonly problem: string }

/** Moves only the branch, if it is still at the start of the move; a lock, for example, may prevent that too. */
export const swap = async (folder: string, move: Move): Promise<Moved> => {
  const { target, from, to, message } = move
  const { exitCode, stderr } = await askGit(
    folder,
    ['update-ref', '-m', message, '--end-of-options', branchRef(target), to, from],
    { answers: [1, 128] },
  )
  if (exitCode === 0) return { kind: 'moved' }
  return (await commitOf(folder, branchRef(target))) === from
    ? held(`${target} could not be moved: ${firstLineOf(stderr)}; fix that, then approve again.`)
    : stale(move)
}

export const held = (problem: string): Moved => ({ kind: 'held', problem })
export const stale = ({ target }: Pick<Move, 'target'>): Moved => ({
  kind: 'stale',
  problem: `${target} has moved since the merge was created; aiswarm merges again.`,
})
