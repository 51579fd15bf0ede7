import type { Compare } from './filter.ts'

/** A term as typed: `-key:value,"another value"`, or a word. */
export interface Token {
  readonly raw: string
  readonly not: boolean
  readonly key: string | null
  readonly compare: Compare
  readonly values: readonly Value[]
}

export interface Value {
  readonly text: string
  readonly quoted: boolean
}

// An unclosed quote ends with the text, because the person is still typing.
const quoted = /"((?:[^"\\]|\\.)*)(?:"|\\?$)/y
const keyed = /([A-Za-z][A-Za-z_-]*)(:|>=|<=|>|<)/y

export const tokensOf = (text: string): readonly Token[] => {
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
