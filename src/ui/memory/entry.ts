import type { SafeText } from '../../domain/safe-text.ts'
import type { Line } from '../../../components/Lines.tsx'
import type { MemoryRow, MemoryRows } from './state.ts'

/** A row of a memory that lies in a file, with what a search looks at and what Enter reads. */
export interface Entry extends MemoryRow {
  readonly title: SafeText
  /** Null where a search passes over it. */
  readonly sought: Sought | null
  readonly read: (width: number) => readonly Line[]
}

/** What a search looks at: whose it is, when it was written, what it says. */
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
