import { parseDuration } from '../words/time.ts'
import {
  type Compare,
  type Test,
  type Term,
  filterStates,
  type FilterState,
  standings,
  type NameKey,
  type NumberKey,
  type SpanKey,
  filterKeys,
} from './filter.ts'
import type { Token, Value } from './filter-tokens.ts'

/** The term, or its error. */
export const termOf = ({ not, key, compare, values }: Token): Term | string => {
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
