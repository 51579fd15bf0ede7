import type { Census } from './census.ts'

// What a census says, for people: the command line and the console show the same sentences before they ask.

/** Whether the target has the work already; undefined where there is none, or it has not. */
export const landedWords = ({ landed: { target, how, commits, picked } }: Census): string | undefined => {
  if (how === 'merged') return `Its commits are in ${target} already.`
  if (how === 'squashed') return `Its work is in ${target} already, squashed into one commit.`
  if (how === 'picked') return `Its work is in ${target} already, cherry-picked commit by commit.`
  if (how === 'contained') return `Its work is in ${target} already: merging it would change nothing.`
  return picked > 0 ? `${picked} of its ${count(commits, 'commit')} ${picked === 1 ? 'is' : 'are'} in ${target} already, cherry-picked.` : undefined
}

/** What the archive keeps, a line each; none where there is nothing but what its branch has. */
export const keptWords = (census: Census): readonly string[] => [
  ...(census.commits > 0 ? [`${count(census.commits, 'commit')} that no other branch has`] : []),
  ...some('uncommitted change', census.uncommitted),
  ...some('untracked file', census.untracked),
  ...some('ignored file', census.ignored),
  ...some('stash', census.stashes, 'stashes'),
  ...(census.inProgress === null ? [] : [`a ${census.inProgress} in progress, as it stands`]),
  ...(census.head === null ? [] : [/^[0-9a-f]{40,}$/.test(census.head) ? `a detached HEAD at ${census.head.slice(0, 9)}` : `HEAD on the branch ${census.head}`]),
  ...some('repository inside', census.nested, 'repositories inside'),
]

/** What only the trash folder keeps, and that not for long. */
export const beyondWords = (census: Census): readonly string[] => [
  ...some('ignored file too large for the archive', census.beyond, 'ignored files too large for the archive'),
  ...some('ignored folder that a build fills again', census.regenerable, 'ignored folders that a build fills again'),
]

/** Why the worktree cannot be removed now, if so. */
export const blockedWords = ({ processes }: Census): string | undefined => {
  const foreign = processes.filter(({ ours }) => !ours)
  if (foreign.length === 0) return undefined
  const named = foreign.slice(0, SHOWN).map(({ pid, name }) => `${pid} (${name})`)
  return `${foreign.length === 1 ? 'Process' : 'Processes'} ${listed(named, foreign.length)} ${foreign.length === 1 ? 'works' : 'work'} in its folder`
}

/** Names that are shown of a list. */
const SHOWN = 4

const some = (noun: string, names: readonly string[], plural = `${noun}s`): readonly string[] =>
  names.length === 0 ? [] : [`${names.length} ${names.length === 1 ? noun : plural}: ${listed(names.slice(0, SHOWN), names.length)}`]

const listed = (shown: readonly string[], total: number): string => shown.join(', ') + (total > shown.length ? `, and ${total - shown.length} more` : '')

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
