import type { Census } from '../../contracts/observations.ts'
import { countOf, someOf } from '../../domain/words/counts.ts'

// Describes a census for people, with the same sentences in the command line and in the console.

/** How the target contains the work; undefined if there is no target, or it does not contain the work. */
export const landedWords = ({ landed: { target, how, commits, picked } }: Census): string | undefined => {
  if (how === 'merged') return `Its commits are already in ${target}.`
  if (how === 'squashed') return `Its work is already in ${target}, squashed into one commit.`
  if (how === 'picked') return `Its work is already in ${target}, cherry-picked commit by commit.`
  if (how === 'contained') return `Its work is already in ${target}: merging it would change nothing.`
  return picked > 0
    ? `${picked} of its ${countOf(commits, 'commit')} ${picked === 1 ? 'is' : 'are'} already in ${target}, cherry-picked.`
    : undefined
}

/** The content that the archive keeps, one per line; empty if it is only that of the branch. */
export const keptWords = (census: Census): readonly string[] => [
  ...(census.commits > 0 ? [`${countOf(census.commits, 'commit')} that no other branch has`] : []),
  ...some('uncommitted change', census.uncommitted),
  ...some('untracked file', census.untracked),
  ...some('ignored file', census.ignored),
  ...some('stash', census.stashes, 'stashes'),
  ...(census.inProgress === null ? [] : [`a ${census.inProgress} in progress, in its current state`]),
  ...(census.head === null
    ? []
    : [
        /^[0-9a-f]{40,}$/.test(census.head)
          ? `a detached HEAD at ${census.head.slice(0, 9)}`
          : `HEAD on the branch ${census.head}`,
      ]),
  ...some('repository inside', census.nested, 'repositories inside'),
]

/** The content that only the trash folder keeps, for a limited time. */
export const beyondWords = (census: Census): readonly string[] => [
  ...some('ignored file too large for the archive', census.beyond, 'ignored files too large for the archive'),
  ...some('ignored folder that a build recreates', census.regenerable, 'ignored folders that a build recreates'),
]

/** The reason why the worktree cannot be removed now, if any. */
export const blockedWords = ({ processes }: Census): string | undefined => {
  const foreign = processes.filter(({ ours }) => !ours)
  if (foreign.length === 0) return undefined
  const named = foreign.map(({ pid, name }) => `${pid} (${name})`)
  return `${foreign.length === 1 ? 'Process' : 'Processes'} ${someOf(named, SHOWN)} ${foreign.length === 1 ? 'runs' : 'run'} in its folder`
}

/** The number of names of a list that are shown. */
const SHOWN = 4

const some = (noun: string, names: readonly string[], plural = `${noun}s`): readonly string[] =>
  names.length === 0 ? [] : [`${names.length} ${names.length === 1 ? noun : plural}: ${someOf(names, SHOWN)}`]
