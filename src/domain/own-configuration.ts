// aiswarm's own configuration as the guard remembers it: the texts of the files that the person's processes obey, by the
// paths that they have in the main checkout. They stand among what git obeys, whose names never begin like that.

export type Entries = Readonly<Record<string, string>>

export const CONFIGURATION = '.aiswarm/config.yaml'
export const PERSONAS = '.aiswarm/personas'

export const isOwn = (name: string): boolean => name === CONFIGURATION || name.startsWith(`${PERSONAS}/`)

/** That of aiswarm among what is obeyed. */
export const ownOf = (entries: Entries): Entries => Object.fromEntries(Object.entries(entries).filter(([name]) => isOwn(name)))

/** What is obeyed, with this in the place of aiswarm's own. */
export const withOwn = (entries: Entries, own: Entries): Entries =>
  Object.fromEntries([...Object.entries(entries).filter(([name]) => !isOwn(name)), ...Object.entries(own)].sort(([a], [b]) => (a < b ? -1 : 1)))

export const areSame = (one: Entries, other: Entries): boolean =>
  Object.keys(one).length === Object.keys(other).length && Object.entries(one).every(([name, text]) => other[name] === text)

/** True where a changed line of the guard is about aiswarm itself. */
export const isOfOwn = (line: string): boolean => /^[+-] \.aiswarm\//.test(line)

/** What whoever begins is told while a change waits for a person. */
export const CONFIGURATION_HELD =
  "aiswarm's own configuration has changed while agents ran, or within a minute of it, so it counts as it was before; 'aiswarm worktree trust' shows the lines and takes your word."
