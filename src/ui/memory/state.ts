import type { SafeText } from '../../domain/safe-text.ts'
import type { ConversationPage } from '../../operations/list-conversations.ts'
import type { FileMemories } from '../../operations/kernel/memories.ts'
import type { TaskLogView } from '../../operations/kernel/task-log-view.ts'
import type { Turn } from '../../operations/read-trail.ts'
import type { Line } from '../../../components/Lines.tsx'

export const memoryTabs = ['working', 'decisions', 'timeline', 'conversations'] as const
export type MemoryTab = (typeof memoryTabs)[number]

/** What the pane lists: one of its tabs, or what a search found in all of them. */
export type MemoryList = MemoryTab | 'found'

/** Where one is in a list. The key keeps the place while rows come and go above it. */
export interface Place {
  readonly key: string | null
  readonly at: number
  /** The first row that is seen. */
  readonly top: number
}

/** The pane. Where words were looked for, it lists what was found. */
export interface MemoryOverlay {
  readonly kind: 'memory'
  readonly tab: MemoryTab
  readonly words: string
  readonly places: Readonly<Record<MemoryList, Place>>
}

/** What Enter opens of a list, and `t` of a task. */
export type RecordRef =
  | { readonly of: 'entry'; readonly tab: Exclude<MemoryTab, 'conversations'>; readonly key: string }
  | { readonly of: 'note'; readonly note: TaskLogView }
  | { readonly of: 'message'; readonly messageId: string }
  | { readonly of: 'trail'; readonly taskId: number }

export interface MemoryRow {
  readonly key: string
  readonly line: Line
  /** In place of the line on a narrow screen. */
  readonly narrow?: Line
  /** Null where there is nothing to open. */
  readonly opens: RecordRef | null
}

/** Rows that are made when they are seen. */
export interface MemoryRows {
  readonly total: number
  row(index: number): MemoryRow
  /** Where the row of this key is now; -1 where it is gone. */
  find(key: string): number
}

/** What was found for these words. */
export interface Found {
  readonly words: string
  readonly rows: readonly MemoryRow[]
  /** How many there are of each, in words. */
  readonly summary: SafeText
}

/** What was read for the pane; all of it null while the pane is closed. */
export interface MemoryContents {
  readonly files: FileMemories | null
  readonly page: ConversationPage | null
  readonly found: Found | null
  /** `of` names the record that they belong to. */
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

/** A name for what is read from the database for a record; null where nothing is. */
export const turnsOf = (record: RecordRef): string | null => (record.of === 'trail' ? `task:${record.taskId}` : record.of === 'message' ? `message:${record.messageId}` : null)
