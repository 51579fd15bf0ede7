// The configuration that a person trusts. Of aiswarm's own, the guard records the texts of the files that the person's
// processes obey, by their paths in the main checkout, together with git's configuration, whose names never begin like
// that.

export type Entries = Readonly<Record<string, string>>

export const CONFIGURATION = '.aiswarm/config.yaml'
export const PERSONAS = '.aiswarm/personas'

export const isOwn = (name: string): boolean => name === CONFIGURATION || name.startsWith(`${PERSONAS}/`)

/** The entries of aiswarm's own configuration. */
export const ownOf = (entries: Entries): Entries =>
  Object.fromEntries(Object.entries(entries).filter(([name]) => isOwn(name)))

/** The entries with aiswarm's own replaced by these. */
export const withOwn = (entries: Entries, own: Entries): Entries =>
  Object.fromEntries(
    [...Object.entries(entries).filter(([name]) => !isOwn(name)), ...Object.entries(own)].sort(([a], [b]) =>
      a < b ? -1 : 1,
    ),
  )

export const areSame = (one: Entries, other: Entries): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, text]) => other[name] === text)

/** True if a changed line of the guard belongs to aiswarm's own configuration. */
export const isOfOwn = (line: string): boolean => /^[+-] \.aiswarm\//.test(line)

/** Integrations wait while the repository's own configuration differs from the trusted one. */
export const CONFIGURATION_CHANGED =
  "The repository's git configuration, hooks or attributes, or aiswarm's own configuration, have changed, so nothing is integrated. 'aiswarm worktree trust' shows the lines and asks you to accept them."

/** The message for a caller that starts something while a change waits for a person. */
export const CONFIGURATION_HELD =
  "aiswarm's own configuration changed while agents ran, or within a minute after, so the previous one still applies. 'aiswarm worktree trust' shows the lines and asks you to accept them."
