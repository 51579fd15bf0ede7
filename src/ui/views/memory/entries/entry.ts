import type { SafeText } from '../../../../domain/words/safe-text.ts'
import type { Line } from '../../../../../components/Lines.tsx'
import type { MemoryRow, MemoryRows } from '../state.ts'

/** A row of a memory in a file, with the text for searches and the record for Enter. */
export interface Entry extends MemoryRow {
  readonly title: SafeText
  /** Null if searches skip it. */
  readonly sought: Sought | null
  readonly read: (width: number) => readonly Line[]
}

/** The searched fields: author, time, text. */
export interface Sought {
  readonly who: string
  readonly at: string
  readonly text: () => string
}

export interface Entries extends MemoryRows {
  row(index: number): Entry
  sought(index: number): Sought | null
}

export const entriesOf = (entries: readonly Entry[]): Entries => {
  let places: Map<string, number> | undefined
  return {
    total: entries.length,
    row: (index) => entries[index]!,
    sought: (index) => entries[index]!.sought,
    find: (key) => (places ??= new Map(entries.map((entry, index) => [entry.key, index]))).get(key) ?? -1,
  }
}
