import type { AgentInspection, WorktreeContents } from '../../../contracts/observations.ts'
import type { TaskLogView } from '../../../operations/views/tasks.ts'
import type { MessageView } from '../../../operations/messages/messages.ts'
import type { TaskHistoryEntry } from '../../../operations/tasks/edits.ts'
import type { RelatedTask } from '../../../operations/screens/related-tasks.ts'
import type { Line } from '../../../../components/Lines.tsx'
import type { ColourName } from '../../../../components/base/theme.ts'

/** The parts that are loaded only for an open section. */
export interface Parts {
  readonly related: readonly RelatedTask[]
  readonly notes: readonly TaskLogView[]
  readonly history: readonly TaskHistoryEntry[]
  readonly inspection: AgentInspection
  readonly contents: WorktreeContents
  readonly messages: readonly MessageView[]
  /** The actions that an agent of its kind takes without asking; null if it asks for all of them. */
  readonly unasked: string | null
  /** Entries of `sandbox.hosts` for the hosts that were refused to an agent. */
  readonly refused: readonly string[]
}
export type Part = keyof Parts

/** The loaded parts of the open detail; `problems` contains the errors. */
export interface OpenedDetail {
  /** Its subject, such as `board 3`. */
  readonly of: string
  readonly parts: Partial<Parts>
  readonly problems: Partial<Readonly<Record<Part, string>>>
}

export const nothingOpened: OpenedDetail = { of: '', parts: {}, problems: {} }

/** A section of a detail that folds. One with a `part` is folded at first, and loaded when it is opened. */
export interface DetailSection {
  readonly id: string
  readonly title: string
  /** Shown after the title, also while it is folded. */
  readonly note?: string
  readonly colour?: ColourName
  readonly part?: Part
  readonly lines: () => readonly Line[]
}

/** The state of a detail: the selected section, and which sections were folded or opened. */
export interface DetailFolds {
  readonly at?: string
  readonly folds?: Readonly<Record<string, boolean>>
}

export const isOpen = ({ folds }: DetailFolds, { id, part }: DetailSection): boolean =>
  folds?.[id] ?? part === undefined
