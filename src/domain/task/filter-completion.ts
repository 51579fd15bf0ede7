import { filterKeys, filterStates, standings } from './filter.ts'

/** The names that are possible values of a key. */
export type KnownNames = Readonly<Partial<Record<'persona' | 'agent' | 'worktree' | 'session', readonly string[]>>>

/**
 * The keys, or the values of the key, that complete the term at the end of the text; the whole text with each of them.
 */
export const completionsOf = (text: string, known: KnownNames): readonly string[] => {
  const last = /(?:^|\s)-?([^\s"]*)$/.exec(text)?.[1]
  if (last === undefined) return []
  const colon = last.indexOf(':')
  const begun = colon === -1 ? last : last.slice(Math.max(colon, last.lastIndexOf(',')) + 1)
  const offers = colon === -1 ? keys : valuesOf(last.slice(0, colon).toLowerCase(), known)
  const before = text.slice(0, text.length - begun.length)
  return offers
    .filter((offer) => offer.toLowerCase().startsWith(begun.toLowerCase()) && offer !== begun)
    .map((offer) => before + quotedIfNeeded(offer))
}

/** Keys with the following sign. */
const keys = Object.entries(filterKeys).map(([key, { example }]) => key + /^[a-z]+(:|>=|>)/.exec(example)![1]!)

const valuesOf = (key: string, known: KnownNames): readonly string[] => {
  if (key === 'state') return filterStates
  if (key === 'is') return standings
  if (key === 'blocked') return ['yes', 'no']
  const names = Object.hasOwn(known, key) ? (known[key as keyof KnownNames] ?? []) : []
  return key === 'worktree' || key === 'agent' ? [...names, 'none'] : names
}

const quotedIfNeeded = (value: string): string =>
  /[\s,"*]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value
