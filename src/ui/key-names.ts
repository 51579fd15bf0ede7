import { boundRows } from './comfort/bindings.ts'
import type { KeyRow } from './keys.ts'
import type { ConsoleState } from './state.ts'

// How keys are written in sentences. Many of these stand in what keys.ts itself takes in, so its rows come from key-table.ts.

type Bound = Pick<ConsoleState, 'comfort'>

let table: () => readonly KeyRow[] = () => []

/** Says where the rows are, before the first sentence is made. */
export const nameKeysBy = (rows: () => readonly KeyRow[]): void => void (table = rows)

/** How the key of a row is written, for sentences that name it. */
export const shownKey = ({ comfort }: Bound, id: string): string => boundRows(table(), comfort.bindings).find((row) => row.id === id)?.shown ?? ''

/** A sentence of ours with the keys that it names by their rows, such as `{new} makes one`, as they are written here. */
export const keyed = (state: Bound, sentence: string): string => sentence.replace(/\{([a-z]+(?:-[a-z]+)*)\}/g, (whole, id: string) => shownKey(state, id) || whole)
