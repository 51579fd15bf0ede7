import type { SafeText } from '../../../domain/words/safe-text.ts'
import type { ConversationPage, Turn } from '../../../operations/memory/trail.ts'
import type { FileMemories } from '../../../contracts/memories.ts'
import type { TaskLogView } from '../../../operations/views/tasks.ts'
import type { Line } from '../../../../components/Lines.tsx'

export const memoryTabs = ['working', 'decisions', 'timeline', 'conversations'] as const
export type MemoryTab = (typeof memoryTabs)[number]

/** The list of the pane: one of its tabs, or the results of a search in all of them. */
export type MemoryList = MemoryTab | 'found'

/** The place in a list. The key keeps the place while rows come and go above it. */
export interface Place {
  readonly key: string | null
  readonly at: number
  /** The first visible row. */
  readonly top: number
}

/** The pane. After a search it lists the results. */
export interface MemoryOverlay {
  readonly kind: 'memory'
  readonly tab: MemoryTab
  readonly words: string
  readonly places: Readonly<Record<MemoryList, Place>>
}

/** The record that Enter opens from a list, and `t` for a task. */
export type RecordRef =
  | { readonly of: 'entry'; readonly tab: Exclude<MemoryTab, 'conversations'>; readonly key: string }
  | { readonly of: 'note'; readonly note: TaskLogView }
  | { readonly of: 'message'; readonly messageId: string }
  | { readonly of: 'trail'; readonly taskId: number }

export interface MemoryRow {
  readonly key: string
  readonly line: Line
  /** Replaces the line on a narrow screen. */
  readonly narrow?: Line
  /** Null if there is nothing to open. */
  readonly opens: RecordRef | null
}

/** Rows that are created when they become visible. */
export interface MemoryRows {
  readonly total: number
  row(index: number): MemoryRow
  /** The present index of the row with this key; -1 if it is gone. */
  find(key: string): number
}

/** The results for these words. */
export interface Found {
  readonly words: string
  readonly rows: readonly MemoryRow[]
  /** The number of results of each kind, in words. */
  readonly summary: SafeText
}

/** The data of the pane; all of it null while the pane is closed. */
export interface MemoryContents {
  readonly files: FileMemories | null
  readonly page: ConversationPage | null
  readonly found: Found | null
  /** `of` names the record to which they belong. */
  readonly turns: { readonly of: string; readonly turns: readonly Turn[] } | null
}

export const nothingRead: MemoryContents = { files: null, page: null, found: null, turns: null }

const start: Place = { key: null, at: 0, top: 0 }

export const memoryOverlay = (tab: MemoryTab = 'working'): MemoryOverlay => ({
  kind: 'memory',
  tab,
  words: '',
  places: { working: start, decisions: start, timeline: start, conversations: start, found: start },
})

export const listIn = ({ words, tab }: MemoryOverlay): MemoryList => (words === '' ? tab : 'found')

/** A name for a record's data from the database; null if there is none. */
export const turnsOf = (record: RecordRef): string | null =>
  record.of === 'trail' ? `task:${record.taskId}` : record.of === 'message' ? `message:${record.messageId}` : null
