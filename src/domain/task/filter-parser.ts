import { parseDuration } from '../words/time.ts'
import {
  type Compare,
  type Filter,
  filterKeys,
  type FilterState,
  filterStates,
  type NameKey,
  type NumberKey,
  type SpanKey,
  standings,
  type Term,
  type Test,
} from './filter.ts'

// Parses the query language of `filter.ts`, and completes what a person types.

export const parseFilter = (text: string): Filter => {
  const terms: Term[] = []
  for (const token of tokensOf(text)) {
    const read =
      terms.length === MOST_TERMS
        ? `a filter has at most ${MOST_TERMS} terms.`
        : token.values.length > MOST_VALUES
          ? `a term has at most ${MOST_VALUES} values.`
          : termOf(token)
    if (typeof read === 'string') return { terms: [], problem: `'${token.raw}': ${read}` }
    terms.push(read)
  }
  return { terms, problem: null }
}

/**
 * The most terms that a database can combine between two keys (measured: 50 terms of the most expensive kind take 10
 * ms, 100 take 70), and the most values of one.
 */
const [MOST_TERMS, MOST_VALUES] = [50, 500]

/** A term as typed: `-key:value,"another value"`, or a word. */
interface Token {
  readonly raw: string
  readonly not: boolean
  readonly key: string | null
  readonly compare: Compare
  readonly values: readonly Value[]
}

interface Value {
  readonly text: string
  readonly quoted: boolean
}

// An unclosed quote ends with the text, because the person is still typing.
const quoted = /"((?:[^"\\]|\\.)*)(?:"|\\?$)/y
const keyed = /([A-Za-z][A-Za-z_-]*)(:|>=|<=|>|<)/y

const tokensOf = (text: string): readonly Token[] => {
  const tokens: Token[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) at += match[0].length
    return match
  }
  const value = (bare: RegExp): Value => {
    const inQuotes = take(quoted)
    return inQuotes
      ? { text: inQuotes[1]!.replace(/\\(.)/g, '$1'), quoted: true }
      : { text: take(bare)?.[0] ?? '', quoted: false }
  }
  for (take(/\s+/y); at < text.length; take(/\s+/y)) {
    const begin = at
    const not = take(/-(?=\S)/y) !== null
    const key = take(keyed)
    const values = [value(key ? /[^\s,]*/y : /\S+/y)]
    while (key && take(/,/y)) values.push(value(/[^\s,]*/y))
    // Text after a closing quote belongs to the next word.
    tokens.push({
      raw: text.slice(begin, at),
      not,
      key: key ? key[1]!.toLowerCase() : null,
      compare: (key?.[2] ?? ':') as Compare,
      values,
    })
  }
  return tokens
}

/** The term, or its error. */
const termOf = ({ not, key, compare, values }: Token): Term | string => {
  const begun =
    key === null && !values[0]!.quoted ? /^([a-z]+)!?=/i.exec(values[0]!.text)?.[1]?.toLowerCase() : undefined
  if (begun !== undefined && Object.hasOwn(filterKeys, begun))
    return `'=' and '!=' are not operators; write ${begun} as in ${filterKeys[begun]!.example}, and '-' in front negates it.`
  if (key === null)
    return values[0]!.text === ''
      ? 'the words to search for are missing.'
      : { not, test: { kind: 'words', words: values[0]!.text } }
  const read = Object.hasOwn(readers, key) ? readers[key] : undefined
  if (!read) return `'${key}' is not a key. Use ${listed(Object.keys(filterKeys))}, or quotes to search for the text.`
  const test = read(values, compare)
  if (typeof test === 'string') return test
  return 'negated' in test ? { not: !not, test: test.negated } : { not, test }
}

type Read = (values: readonly Value[], compare: Compare) => Test | { readonly negated: Test } | string

const takes = (key: string, what: string): string => `${what}, as in ${filterKeys[key]!.example}.`

/** The states by the words on the board. */
const asShown: Readonly<Record<string, FilterState>> = {
  working: 'in_progress',
  done: 'completed',
  sleeps: 'sleeping',
  'over budget': 'over-budget',
}

const oneOf =
  <T extends string>(key: string, choices: readonly T[], what: string, test: (chosen: readonly T[]) => Test): Read =>
  (values, compare) => {
    const chosen = values.map(({ text }) =>
      choices.find((choice) => choice === (asShown[text.toLowerCase()] ?? text.toLowerCase())),
    )
    if (compare !== ':') return takes(key, `${key} takes ':'`)
    return chosen.every((choice) => choice !== undefined) ? test(chosen) : `${what} ${listed(choices)}.`
  }

const names =
  (key: NameKey): Read =>
  (values, compare) => {
    if (compare !== ':' || values.some(({ text }) => text === '')) return takes(key, `${key} takes ':' and a name`)
    return {
      kind: 'name',
      key,
      names: values.map(({ text, quoted }) =>
        text === 'none' && !quoted ? null : { name: text, wild: !quoted && text.includes('*') },
      ),
    }
  }

const wholeNumber = (text: string): number | undefined => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined)

const number =
  (key: NumberKey): Read =>
  ([first, ...more], compare) => {
    const value = wholeNumber(first!.text)
    return value === undefined || more.length > 0
      ? takes(key, `${key} takes a whole number`)
      : { kind: 'number', key, compare, value }
  }

const ids: Read = (values, compare) => {
  if (compare !== ':') return number('id')(values, compare)
  const ranges = values.map(({ text }) => {
    const [from, to = from] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(text)?.slice(1) ?? []
    return from === undefined ? undefined : { from: Number(from), to: Number(to) }
  })
  return ranges.every((range) => range !== undefined) ? { kind: 'id', ranges } : takes('id', 'id takes task numbers')
}

const span =
  (key: SpanKey): Read =>
  ([first, ...more], compare) => {
    const ms = parseDuration(first!.text)
    // No instant is so long ago.
    if (compare === ':' || ms === undefined || ms > 1e12 || more.length > 0)
      return takes(key, `${key} takes > or < and a duration (s, m, h or d)`)
    return { kind: 'span', key, compare, ms }
  }

const isBlocked: Test = { kind: 'is', what: 'blocked' }

const yesOrNo: Read = ([first, ...more], compare) => {
  const said = first!.text.toLowerCase()
  if (compare !== ':' || more.length > 0 || (said !== 'yes' && said !== 'no')) return "blocked takes ':yes' or ':no'."
  return said === 'yes' ? isBlocked : { negated: isBlocked }
}

const listed = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

const readers: Readonly<Record<string, Read>> = {
  state: oneOf('state', filterStates, 'a state is one of', (states) => ({ kind: 'state', states })),
  persona: names('persona'),
  agent: names('agent'),
  worktree: names('worktree'),
  session: names('session'),
  is: (values, compare) =>
    values.length === 1
      ? oneOf('is', standings, "'is' takes one of", ([what]) => ({ kind: 'is', what: what! }))(values, compare)
      : "'is' takes one word. Use one term for each word.",
  blocked: yesOrNo,
  id: ids,
  priority: number('priority'),
  attempt: number('attempt'),
  age: span('age'),
  time: span('time'),
}

/** The names that are possible values of a key. */
type KnownNames = Readonly<Partial<Record<'persona' | 'agent' | 'worktree' | 'session', readonly string[]>>>

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
