import { boundRows } from './bindings.ts'
import type { ConsoleState } from '../core/state.ts'

// The notation of keys in sentences, with the configured bindings.

type KeyState = Pick<ConsoleState, 'preferences' | 'table'>

/** The notation of a row's key, for sentences that name it. */
export const shownKey = ({ preferences, table }: KeyState, id: string): string =>
  boundRows(table.rows, preferences.bindings).find((row) => row.id === id)?.shown ?? ''

/** Replaces row ids in our sentences, such as `{new} makes one`, by the keys as they are bound. */
export const keyed = (state: KeyState, sentence: string): string =>
  sentence.replace(/\{([a-z]+(?:-[a-z]+)*)\}/g, (whole, id: string) => shownKey(state, id) || whole)
