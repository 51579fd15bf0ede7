import type { AgentInspection, WorktreeContents } from '../../operations/kernel/inspection.ts'
import type { TaskLogView } from '../../operations/kernel/task-log-view.ts'
import type { RelatedTask } from '../../operations/read-related-tasks.ts'
import type { Line } from '../../../components/Lines.tsx'
import type { ColourName } from '../../../components/theme.ts'

/** What is read only for a section that is open. */
export interface Parts {
  readonly related: readonly RelatedTask[]
  readonly notes: readonly TaskLogView[]
  readonly inspection: AgentInspection
  readonly contents: WorktreeContents
}
export type Part = keyof Parts

/** What was read for the detail that is open, by its parts; `problems` says what could not be. */
export interface OpenedDetail {
  /** What it is about, such as `board 3`. */
  readonly of: string
  readonly parts: Partial<Parts>
  readonly problems: Partial<Readonly<Record<Part, string>>>
}

export const nothingOpened: OpenedDetail = { of: '', parts: {}, problems: {} }

/** A part of a detail that folds. One with a `part` is folded at first, and read when it is opened. */
export interface DetailSection {
  readonly id: string
  readonly title: string
  /** Stands behind the title, also while it is folded. */
  readonly note?: string
  readonly colour?: ColourName
  readonly part?: Part
  readonly lines: () => readonly Line[]
}

/** How one looks at a detail: which section the cursor is on, and which were folded or opened. */
export interface DetailOverlay {
  readonly at?: string
  readonly folds?: Readonly<Record<string, boolean>>
}

export const isOpen = ({ folds }: DetailOverlay, { id, part }: DetailSection): boolean => folds?.[id] ?? part === undefined
