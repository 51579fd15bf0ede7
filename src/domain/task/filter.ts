import { type TaskState, taskStates } from './task.ts'
import { parseDuration } from '../words/time.ts'

// The query language for tasks: `state:failed persona:tester age>10m "exact words" -draft`. Terms are joined by `and`,
// a minus negates, a comma inside a value is an `or`.

export type Compare = '>' | '>=' | '<' | '<=' | ':'

/** A name as typed: `*` matches anything, null stands for `none`. */
export type NameTest = { readonly name: string; readonly wild: boolean } | null

export type Test =
  | { readonly kind: 'words'; readonly words: string }
  | { readonly kind: 'state'; readonly states: readonly FilterState[] }
  | { readonly kind: 'name'; readonly key: NameKey; readonly names: readonly NameTest[] }
  | { readonly kind: 'id'; readonly ranges: readonly { readonly from: number; readonly to: number }[] }
  | { readonly kind: 'number'; readonly key: NumberKey; readonly compare: Compare; readonly value: number }
  | { readonly kind: 'span'; readonly key: SpanKey; readonly compare: Exclude<Compare, ':'>; readonly ms: number }
  | { readonly kind: 'is'; readonly what: Standing }

export interface Term {
  readonly not: boolean
  readonly test: Test
}

export interface Filter {
  readonly terms: readonly Term[]
  /** One sentence about the first invalid term; then `terms` is empty. */
  readonly problem: string | null
}

/** States that the board shows and no row stores. */
export const shownStates = ['blocked', 'waiting', 'sleeping', 'stalled', 'over-budget'] as const

export const filterStates = [...taskStates, ...shownStates] as const
export type FilterState = (typeof filterStates)[number]

/**
 * States that are derived: waiting is a retry that is not due, sleeping has no quota, available could be claimed now,
 * over has ended.
 */
export const standings = [...shownStates, 'available', 'held', 'over'] as const
export type Standing = (typeof standings)[number]

export type NameKey = 'persona' | 'agent' | 'worktree' | 'session'
type NumberKey = 'id' | 'priority' | 'attempt'
type SpanKey = 'age' | 'time'

/**
 * When a task entered its state. Work counts from the claim: an agent may read or ask for a long time before it reports
 * anything.
 */
export const enteredAt: Record<TaskState, 'changedAt' | 'claimedAt' | 'completedAt'> = {
  pending: 'changedAt',
  claimed: 'claimedAt',
  in_progress: 'claimedAt',
  completed: 'completedAt',
  failed: 'completedAt',
  cancelled: 'completedAt',
}

/** Every key with an example, for completion and for the error about an unknown key. */
export const filterKeys: Readonly<Record<string, { readonly example: string; readonly help: string }>> = {
  state: { example: 'state:failed,blocked', help: 'in this state' },
  persona: { example: 'persona:tester', help: 'for this persona' },
  agent: { example: 'agent:tester-1', help: 'claimed or done by this agent' },
  worktree: { example: 'worktree:user-auth', help: 'in this worktree; none for the main checkout' },
  session: { example: 'session:session-20260130*', help: 'created in this session' },
  is: { example: 'is:stalled', help: 'blocked, waiting, sleeping, stalled, over-budget, available, held or over' },
  blocked: { example: 'blocked:yes', help: 'blocked by another task' },
  id: { example: 'id:3,10-20', help: 'with these numbers' },
  priority: { example: 'priority>=50', help: 'with this priority' },
  attempt: { example: 'attempt>1', help: 'with this many attempts' },
  age: { example: 'age>10m', help: 'created this long ago' },
  time: { example: 'time>5m', help: 'in its state for this long' },
}

/**
 * The most terms that a database can combine between two keys (measured: 50 terms of the most expensive kind take 10
 * ms, 100 take 70), and the most values of one.
 */
const [MOST_TERMS, MOST_VALUES] = [50, 500]

export const parseFilter = (text: string): Filter => {
  const terms: Term[] = []
  for (const token of tokensOf(text)) {
    const read =
      terms.length === MOST_TERMS ? `a filter has at most ${MOST_TERMS} terms.` : token.values.length > MOST_VALUES ? `a term has at most ${MOST_VALUES} values.` : termOf(token)
    if (typeof read === 'string') return { terms: [], problem: `'${token.raw}': ${read}` }
    terms.push(read)
  }
  return { terms, problem: null }
}

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
    return inQuotes ? { text: inQuotes[1]!.replace(/\\(.)/g, '$1'), quoted: true } : { text: take(bare)?.[0] ?? '', quoted: false }
  }
  for (take(/\s+/y); at < text.length; take(/\s+/y)) {
    const begin = at
    const not = take(/-(?=\S)/y) !== null
    const key = take(keyed)
    const values = [value(key ? /[^\s,]*/y : /\S+/y)]
    while (key && take(/,/y)) values.push(value(/[^\s,]*/y))
    // Text after a closing quote belongs to the next word.
    tokens.push({ raw: text.slice(begin, at), not, key: key ? key[1]!.toLowerCase() : null, compare: (key?.[2] ?? ':') as Compare, values })
  }
  return tokens
}

/** The term, or its error. */
const termOf = ({ not, key, compare, values }: Token): Term | string => {
  const begun = key === null && !values[0]!.quoted ? /^([a-z]+)!?=/i.exec(values[0]!.text)?.[1]?.toLowerCase() : undefined
  if (begun !== undefined && Object.hasOwn(filterKeys, begun))
    return `'=' and '!=' are not operators; write ${begun} as in ${filterKeys[begun]!.example}, and '-' in front negates it.`
  if (key === null) return values[0]!.text === '' ? 'the words to search for are missing.' : { not, test: { kind: 'words', words: values[0]!.text } }
  const read = Object.hasOwn(readers, key) ? readers[key] : undefined
  if (!read) return `'${key}' is not a key. Use ${listed(Object.keys(filterKeys))}, or quotes to search for the text.`
  const test = read(values, compare)
  if (typeof test === 'string') return test
  return 'negated' in test ? { not: !not, test: test.negated } : { not, test }
}

type Read = (values: readonly Value[], compare: Compare) => Test | { readonly negated: Test } | string

const takes = (key: string, what: string): string => `${what}, as in ${filterKeys[key]!.example}.`

/** The states by the words on the board. */
const asShown: Readonly<Record<string, FilterState>> = { working: 'in_progress', done: 'completed', sleeps: 'sleeping', 'over budget': 'over-budget' }

const oneOf =
  <T extends string>(key: string, choices: readonly T[], what: string, test: (chosen: readonly T[]) => Test): Read =>
  (values, compare) => {
    const chosen = values.map(({ text }) => choices.find((choice) => choice === (asShown[text.toLowerCase()] ?? text.toLowerCase())))
    if (compare !== ':') return takes(key, `${key} takes ':'`)
    return chosen.every((choice) => choice !== undefined) ? test(chosen) : `${what} ${listed(choices)}.`
  }

const names =
  (key: NameKey): Read =>
  (values, compare) => {
    if (compare !== ':' || values.some(({ text }) => text === '')) return takes(key, `${key} takes ':' and a name`)
    return { kind: 'name', key, names: values.map(({ text, quoted }) => (text === 'none' && !quoted ? null : { name: text, wild: !quoted && text.includes('*') })) }
  }

const wholeNumber = (text: string): number | undefined => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined)

const number =
  (key: NumberKey): Read =>
  ([first, ...more], compare) => {
    const value = wholeNumber(first!.text)
    return value === undefined || more.length > 0 ? takes(key, `${key} takes a whole number`) : { kind: 'number', key, compare, value }
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
    if (compare === ':' || ms === undefined || ms > 1e12 || more.length > 0) return takes(key, `${key} takes > or < and a duration (s, m, h or d)`)
    return { kind: 'span', key, compare, ms }
  }

const isBlocked: Test = { kind: 'is', what: 'blocked' }

const yesOrNo: Read = ([first, ...more], compare) => {
  const said = first!.text.toLowerCase()
  if (compare !== ':' || more.length > 0 || (said !== 'yes' && said !== 'no')) return "blocked takes ':yes' or ':no'."
  return said === 'yes' ? isBlocked : { negated: isBlocked }
}

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

const listed = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
