import type { Line } from '../../../../components/Lines.tsx'
import { boardLooks, type BoardState, type Look } from '../../../../components/base/look.ts'
import type { ColourName } from '../../../../components/base/theme.ts'
import type { AgentInspection, WorktreeContents } from '../../../contracts/observations.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import type { MessageView } from '../../../operations/messages/messages.ts'
import type { RelatedTask } from '../../../operations/screens/related-tasks.ts'
import type { TaskHistoryEntry } from '../../../operations/tasks/edits.ts'
import type { TaskLogView } from '../../../operations/views/tasks.ts'
import { commonText } from '../../../text/common.ts'
import { taskText } from '../../../text/tasks.ts'
import { selectedTask, taskOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { paragraph, widthIn, written } from '../../rows/lines.ts'
import { boardState } from '../../rows/tasks.ts'

// The sections of a detail: their state, and the lines that several of them share.

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

/** A section with one foreign text; none without text. */
export const text = (
  id: string,
  title: string,
  value: string | null,
  width: number,
  colour?: ColourName,
): readonly DetailSection[] =>
  value === null || value.trim() === ''
    ? []
    : [{ id, title, ...(colour === undefined ? {} : { colour }), lines: () => written(value, width) }]

/** The lines of a loaded part; before that a note that it is loading, or why it failed. */
export const loaded = <P extends Part>(
  state: ConsoleState,
  part: P,
  lines: (value: Parts[P]) => readonly Line[],
): readonly Line[] => {
  const problem = state.opened.problems[part]
  if (problem !== undefined)
    return paragraph(problem, widthIn(state)).map((line): Line => ({ ...line, colour: 'yellow' }))
  const value = state.opened.parts[part]
  return value === undefined ? [{ text: ours(commonText.reading), dim: true }] : lines(value)
}

/** The most lines of a section with a list: a person reads no more, and creating them would be slow. */
const MOST = 3000

/** The lines of a list up to that limit, then the number of remaining ones. */
export const upTo = <T>(list: readonly T[], linesOf: (one: T) => readonly Line[]): readonly Line[] => {
  const lines: Line[] = []
  let at = 0
  for (; at < list.length && lines.length < MOST; at++) for (const line of linesOf(list[at]!)) lines.push(line)
  if (at < list.length) lines.push({ text: ours(commonText.more(list.length - at)), dim: true })
  return lines
}

/** A path or a name on a separate line. */
export const plainLine = (words: string): Line => ({ text: safeText(words) })

/** The title of a detail, and the facts below it. */
export type Titled = readonly [SafeText, readonly Line[]]

/** A state as a line: its mark, its word and more about it. */
export const standing = (look: Look, more = ''): Line => ({
  text: ours(`${look.mark} ${look.word}${safeText(more) === '' ? '' : ` ${safeText(more)}`}`),
  colour: look.colour,
})

/** Tasks related to this one, or in a worktree, each with its state. */
export const relatedLines = (state: ConsoleState, width: number): readonly Line[] =>
  loaded(state, 'related', (tasks) =>
    tasks.length === 0
      ? [{ text: ours(taskText.noneRelated), dim: true }]
      : upTo(tasks, (task) => {
          const { relation, id, title } = task
          const { mark, word, colour } = boardLooks[stateOf(state, task)]
          return written(`${title}  ${word}`, width, `${relation.padEnd(11)} ${mark} ${id} `).map((line): Line => ({
            ...line,
            colour,
          }))
        }),
  )

/**
 * The state on the board, if it was loaded; otherwise derived from the relation: a task with an unfinished dependency
 * is blocked.
 */
const stateOf = (state: ConsoleState, { relation, id, status }: RelatedTask): BoardState => {
  const known = taskOf(state, id)
  const asked = state.board.attention.filter((item) => item.taskId === id)
  if (known) return boardState(known, state.now, asked)
  return relation === 'needed by' && status === 'pending' && selectedTask(state)?.status !== 'completed'
    ? 'blocked'
    : status
}
