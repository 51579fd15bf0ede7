import type { Line } from '../../../../components/Lines.tsx'
import { fit } from '../../../../components/base/fit.ts'
import type { ColourName } from '../../../../components/base/theme.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import type { TaskLogView } from '../../../operations/views/tasks.ts'
import { memoryText } from '../../../text/memory.ts'
import { heading, paragraph, shownUntil, written } from '../../rows/lines.ts'

// The rows of the memory pane, and what rows and records share.

export const memoryTabs = ['working', 'decisions', 'timeline', 'conversations'] as const
export type MemoryTab = (typeof memoryTabs)[number]

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

/** A file that cannot be read, as one sentence. */
export const problemEntry = (tab: Exclude<MemoryTab, 'conversations'>, problem: string): Entry => {
  const key = `problem:${problem}`
  return {
    key,
    line: { text: ours(`✗ ${safeText(problem)}`), colour: 'red' },
    opens: { of: 'entry', tab, key },
    title: ours(memoryText.unreadable),
    sought: null,
    read: (width) => paragraph(problem, width),
  }
}

// Words that the rows and records of the memory pane share.

/** `01-30 14:22` by the local clock; an invalid time unchanged. */
export const shortTime = (at: string): SafeText => {
  const [date, time] = localTime(at)?.split(' ') ?? []
  return date === undefined ? fit(safeText(at.slice(0, 40)), 11) : ours(`${date.slice(5)} ${time!.slice(0, 5)}`)
}

/** `2026-01-30 14:22:33` by the local clock; an invalid time unchanged. */
export const longTime = (at: string): SafeText => ours(localTime(at) ?? safeText(at.slice(0, 40)))

const localTime = (at: string): string | undefined => {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return undefined
  const two = (n: number): string => String(n).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** Characters of a text in a row. */
const SHOWN = 400

/** The beginning of a text, on one line. */
export const beginning = (text: string): SafeText => safeText(text.slice(0, SHOWN))

/** A text folded to the width. Of a very long one it states where the whole text is. */
export const longText = (text: string, width: number, whole: string): readonly Line[] => {
  const end = shownUntil(text)
  if (end === text.length) return written(text, width)
  return [...written(text.slice(0, end), width), { text: ours(memoryText.longer(text.length - end, whole)), dim: true }]
}

export const section = (name: string, lines: readonly Line[], colour?: ColourName): readonly Line[] =>
  lines.length === 0 ? [] : [...heading(name, colour), ...lines]

/** Caches the lines of an object by width, because a record is drawn again at every change. */
export const rememberedLines = <T extends object>(
  make: (of: T, width: number) => readonly Line[],
): ((of: T, width: number) => readonly Line[]) => {
  const known = new WeakMap<T, { readonly width: number; readonly lines: readonly Line[] }>()
  return (of, width) => {
    const before = known.get(of)
    if (before?.width === width) return before.lines
    const lines = make(of, width)
    known.set(of, { width, lines })
    return lines
  }
}
