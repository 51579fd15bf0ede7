import { safeText } from '../../domain/words/safe-text.ts'
import { nearest } from '../../operations/perform/nearest.ts'
import { bindingText } from '../../text/keys.ts'
import type { ConsoleTable, KeyRow } from '../core/registry.ts'
import type { Bindings, ConsoleState } from '../core/state.ts'
import { type Stroke, strokeNames } from './strokes.ts'

/** The keys of the configuration, by id of a row; one key or several. */
export type WishedKeys = Readonly<Record<string, readonly string[]>>

type Bound = { readonly bindings: Bindings } | { readonly id: string; readonly problem: string }

/** The configured keys if all of them are possible; otherwise the first impossible one, and why. */
export const bind = ({ rows, typed }: Pick<ConsoleTable, 'rows' | 'typed'>, wished: WishedKeys): Bound => {
  const bindings: Record<string, Bindings[string]> = {}
  for (const [id, names] of Object.entries(wished)) {
    const row = rows.find((one) => one.id === id)
    const problem = row === undefined ? unknown(rows, id, names) : whyNotBind(row, names, typed)
    if (row === undefined || problem !== undefined) return { id, problem: problem! }
    // The keys for leaving stay, whatever else is configured.
    const keys = [
      ...new Set([...names.map(strokeOf), ...row.keys.filter((key) => key === 'escape' || key === 'ctrl-c')]),
    ]
    bindings[id] = { keys, shown: safeText(names.slice(0, 2).map(shownAs).join(' ')) }
  }
  const bound = rows.map((row) => ({ ...row, ...bindings[row.id] }))
  for (const id of Object.keys(bindings)) {
    const problem = conflictOf(
      bound,
      bound.find((row) => row.id === id)!,
    )
    if (problem !== undefined) return { id, problem }
  }
  return { bindings }
}

/** The rows with their bound keys; created once for each set of bindings. */
export const boundRows = (rows: readonly KeyRow[], bindings: Bindings): readonly KeyRow[] => {
  const known = made.get(bindings)
  if (known?.of === rows) return known.bound
  const bound = Object.keys(bindings).length === 0 ? rows : rows.map((row) => ({ ...row, ...bindings[row.id] }))
  made.set(bindings, { of: rows, bound })
  return bound
}

const made = new WeakMap<Bindings, { readonly of: readonly KeyRow[]; readonly bound: readonly KeyRow[] }>()

const unknown = (rows: readonly KeyRow[], id: string, names: readonly string[]): string => {
  const close = nearest(
    id,
    rows.map((row) => row.id),
  )
  return bindingText.unknown(
    id,
    names.join(' '),
    close === undefined ? bindingText.allNames : bindingText.didYouMean(close),
  )
}

const whyNotBind = (row: KeyRow, names: readonly string[], typed: ConsoleTable['typed']): string | undefined => {
  // Otherwise a program that can write the configuration could bind an approval to a key that is pressed without
  // thought.
  if (row.answers) return bindingText.answersForGood(row.id, row.shown)
  if (names.length === 0) return bindingText.needsKey(row.id)
  for (const name of names) {
    const problem = whyNotTyped(row, name, typed)
    if (problem !== undefined) return bindingText.cannotBe(name, row.id, problem)
  }
  return undefined
}

const whyNotTyped = ({ modes }: KeyRow, name: string, typed: ConsoleTable['typed']): string | undefined => {
  const stroke = strokeOf(name)
  const isLetter = [...stroke].length === 1
  if (stroke === 'ctrl-c') return bindingText.leaves
  if (stroke === 'escape') return bindingText.goesBack
  if (Object.hasOwn(samesame, stroke)) return bindingText.sameAs(samesame[stroke]!)
  if (!isLetter && !/^ctrl-[a-z]$/.test(stroke) && !strokeNames.includes(stroke)) return bindingText.noKey
  // oxlint-disable-next-line no-control-regex -- characters that no key types
  if (isLetter && /[\u0000-\u001f\u007f-\u009f]/.test(stroke)) return bindingText.noLetter
  if (isLetter && modes.some((mode) => typed.has(mode))) return bindingText.letterIsText
  return undefined
}

/** Two names of one byte. */
const samesame: Readonly<Record<string, string>> = {
  'ctrl-i': 'tab',
  'ctrl-m': 'enter',
  'ctrl-j': 'enter',
  'ctrl-h': 'backspace',
}

const conflictOf = (rows: readonly KeyRow[], row: KeyRow): string | undefined => {
  for (const mode of row.modes) {
    for (const other of rows) {
      if (other.id === row.id || !other.modes.includes(mode)) continue
      const both = row.keys.find((key) => other.keys.includes(key))
      if (both !== undefined) return bindingText.taken(shownAs(both), row.id, other.id)
    }
  }
  return undefined
}

const strokeOf = (name: string): Stroke =>
  ({ esc: 'escape', space: ' ', pgdn: 'page-down', pgup: 'page-up' })[name] ?? name

const shownAs = (name: string): string => signs[strokeOf(name)] ?? name

const signs: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  escape: 'esc',
  ' ': 'space',
  'page-up': 'pgup',
  'page-down': 'pgdn',
}

// The notation of keys in sentences, with the configured bindings.

type KeyState = Pick<ConsoleState, 'preferences' | 'table'>

/** The notation of a row's key, for sentences that name it. */
export const shownKey = ({ preferences, table }: KeyState, id: string): string =>
  boundRows(table.rows, preferences.bindings).find((row) => row.id === id)?.shown ?? ''

/** Replaces row ids in our sentences, such as `{new} makes one`, by the keys as they are bound. */
export const keyed = (state: KeyState, sentence: string): string =>
  sentence.replace(/\{([a-z]+(?:-[a-z]+)*)\}/g, (whole, id: string) => shownKey(state, id) || whole)
