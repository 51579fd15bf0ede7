import type { ConsoleState } from '../../core/state.ts'
import { conversationRows } from './conversation-rows.ts'
import { decisionEntries } from './entries/decision-entries.ts'
import type { Entries } from './entries/entry.ts'
import type { MemoryContents, MemoryList, MemoryRows, MemoryTab } from './state.ts'
import { timelineEntries } from './entries/timeline-entries.ts'
import { workingEntries } from './entries/working-entries.ts'

/** The rows of a list; undefined while they are being read. */
export const rowsOf = ({ memory }: Pick<ConsoleState, 'memory'>, list: MemoryList): MemoryRows | undefined => {
  if (list === 'found') return memory.found ? foundRows(memory.found) : undefined
  if (list === 'conversations') return memory.page ? pageRows(memory.page) : undefined
  return entriesIn(memory, list)
}

/** The entries of a memory in files; undefined while it is being read. */
export const entriesIn = ({ files }: MemoryContents, tab: Exclude<MemoryTab, 'conversations'>): Entries | undefined => {
  if (!files) return undefined
  if (tab === 'working') return working(files)
  return tab === 'decisions' ? decisions(files.decisions) : timeline(files.timeline)
}

/** Computes once for each value. */
const once = <T extends object, R>(make: (of: T) => R): ((of: T) => R) => {
  const known = new WeakMap<T, R>()
  return (of) => {
    const before = known.get(of)
    if (before !== undefined) return before
    const made = make(of)
    known.set(of, made)
    return made
  }
}

const working = once(workingEntries)
const decisions = once(decisionEntries)
const timeline = once(timelineEntries)
const pageRows = once(conversationRows)
const foundRows = once((found: NonNullable<MemoryContents['found']>): MemoryRows => ({
  total: found.rows.length,
  row: (index) => found.rows[index]!,
  find: (key) => found.rows.findIndex((row) => row.key === key),
}))
