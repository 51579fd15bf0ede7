import type { LogLine } from '../../../components/Log.tsx'
import type { Tone } from '../../../components/base/look.ts'
import type { Supervision } from '../../contracts/console.ts'
import type { ProcessObservation, WorktreeObservation, WorktreeSize } from '../../contracts/observations.ts'
import { noLimits, noUsage } from '../../domain/budget/budget.ts'
import type { BoardColumn } from '../../domain/task/task.ts'
import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Board } from '../../operations/screens/board.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import type { Stroke } from '../keys/strokes.ts'
import type { ViewContents, ViewOverlay } from '../views/index.ts'
import type { ConsoleTable } from './registry.ts'
import type { ThemeChoice } from './theme.ts'

// The state of a console: what it has read, what the person has chosen, and what is in front.

/** The overlay over the panes, which determines the meaning of the keys. Esc returns to `behind`. */
export type Overlay = { readonly behind?: Overlay | null; readonly home?: Home } & ViewOverlay

/** The focus to which the person returns. */
export type Home = Pick<View, 'pane' | 'about'>

export type Mode = 'list' | Overlay['kind']

export interface View {
  readonly pane: Pane
  /** The pane on whose selection keys act: the last focused list. */
  readonly about: ListPane
  readonly task: number | null
  readonly agent: string | null
  readonly worktree: string | null
  /** The place of the last shown inbox item, from which the next one is found even if that item is gone. */
  readonly shown: string | null
  /** The row at the top of each list: the number of a task, the index for the others. */
  readonly tops: Readonly<Record<ListPane, number>>
  /** Lines by which the log is scrolled back from its end; 0 follows the end. */
  readonly back: number
  readonly follow: boolean
  /** True if ended agents are shown in a row each. */
  readonly unfolded: boolean
  /** The agents that get a message together. */
  readonly marked: readonly string[]
  /** The border that the mouse holds. */
  readonly held: Pane | 'columns' | null
  /** The column by which each list is sorted; without one it has the fixed order. */
  readonly sorts: Sorts
  readonly filter: string
  /** The task around which the board is read. */
  readonly around: number
  /** The board as a list, as columns or as a tree. */
  readonly shape: ShapeView
  /** The end of the board to select when its rows arrive, and the distance that keys have moved from it since. */
  readonly jump: { readonly to: 'first' | 'last'; readonly by: number } | null
  readonly overlay: Overlay | null
  readonly notice: { readonly text: SafeText; readonly tone: Tone }
  readonly size: { readonly columns: number; readonly rows: number }
}

/** The data of the panes, and the state that all views share. */
interface PaneState {
  /** The views and keys of this console. */
  readonly table: ConsoleTable
  readonly loaded: boolean
  readonly board: Board
  /** The loaded part of the board's columns and of its tree. */
  readonly shapes: ShapeContents
  readonly processes: Readonly<Record<string, ProcessObservation>>
  readonly observed: Readonly<Record<string, WorktreeObservation>>
  /** Disk space of the worktrees that were opened. */
  readonly sizes: Readonly<Record<string, WorktreeSize>>
  readonly log: readonly LogLine[]
  readonly personas: readonly string[]
  /** How long attempts usually take (ms), by `usualKey`. */
  readonly usual: Readonly<Record<string, number>>
  readonly supervisor: Supervision
  /** Since when the server of the board does not answer; null while it does. */
  readonly cutOff: Instant | null
  /** Why the board is not read any more until a person acts, such as that it is elsewhere; null if it is read. */
  readonly gone: string | null
  /** Whole seconds, so that output derived from it changes once a second. */
  readonly now: Instant
  readonly preferences: Preferences
  readonly view: View
}

/** The whole state of a console: the panes, and the parts that its views declare. */
export type ConsoleState = PaneState & ViewContents

export type Transition = (state: ConsoleState) => ConsoleState

/** True while a merge of it is verified, or put into its target. */
export const isMerging = ({ integration }: WorktreeView): boolean =>
  integration?.status === 'verifying' || integration?.status === 'moving'

export const modeOf = (state: ConsoleState): Mode => state.view.overlay?.kind ?? 'list'

/** The panes before anything was read; the views' parts come with their list (src/ui/store.ts). */
export const emptyPanes = (now: Instant, table: ConsoleTable): PaneState => ({
  table,
  loaded: false,
  board: {
    session: null,
    usage: noUsage,
    budget: { ...noLimits, askedAt: null },
    counts: {},
    tasks: [],
    moreBefore: false,
    moreAfter: false,
    agents: [],
    endedAgents: 0,
    worktrees: [],
    attention: [],
    requests: [],
    held: [],
    limits: { maxParallel: 0, stalledAfter: 0, silentAfter: 0, writers: 1, readers: [] },
  },
  shapes: noShapes,
  processes: {},
  observed: {},
  sizes: {},
  log: [],
  personas: [],
  usual: {},
  supervisor: { here: true, pid: null },
  cutOff: null,
  gone: null,
  now,
  preferences: plainPreferences,
  view: {
    pane: 'board',
    about: 'board',
    task: null,
    agent: null,
    worktree: null,
    shown: null,
    tops: { board: 0, agents: 0, worktrees: 0 },
    back: 0,
    follow: true,
    unfolded: false,
    marked: [],
    held: null,
    sorts: {},
    filter: '',
    around: 1,
    shape: asList,
    jump: null,
    overlay: null,
    notice: { text: ours(''), tone: 'told' },
    size: { columns: 100, rows: 30 },
  },
})

/** A transition of the view only. */
export const changingView =
  (change: (view: View, state: ConsoleState) => Partial<View>): Transition =>
  (state) => ({ ...state, view: { ...state.view, ...change(state.view, state) } })

/** A transition of the preferences alone. */
export const changingPreferences =
  (change: (preferences: Preferences, state: ConsoleState) => Partial<Preferences>): Transition =>
  (state) => ({ ...state, preferences: { ...state.preferences, ...change(state.preferences, state) } })

export const panes = ['board', 'agents', 'log', 'worktrees'] as const
export type Pane = (typeof panes)[number]

/** The panes in which something is selected. */
export type ListPane = Exclude<Pane, 'log'>

/** The column that a list is sorted by; none is the fixed order. */
export type Sorts = Readonly<Partial<Record<ListPane, string>>>

// The board's three shapes: a list, columns by state, a tree of dependencies.

export const boardShapes = ['list', 'columns', 'tree'] as const
export type BoardShape = (typeof boardShapes)[number]

/**
 * The selection after the next read: an end of the tree, or a row of a column that is not on the screen yet; `by` is
 * the distance that keys have moved from the end since.
 */
export type Jump =
  | { readonly of: 'tree'; readonly to: 'first' | 'last'; readonly by?: number }
  /** `row` is its height; an empty column is skipped in the direction of `by`. */
  | {
      readonly of: BoardColumn
      readonly to: 'first' | 'last' | { readonly row: number; readonly by: 1 | -1 }
      readonly by?: number
    }

export const isSameJump = (a: Jump | null, b: Jump | null): boolean => a?.of === b?.of && a?.to === b?.to

interface ShapeView {
  readonly as: BoardShape
  /** The first column on the screen. */
  readonly left: number
  /** The task at the top of each column, and of the tree. */
  readonly tops: Readonly<Record<BoardColumn | 'tree', number>>
  readonly jump: Jump | null
}

export interface ColumnWindow {
  readonly column: BoardColumn
  readonly tasks: readonly TaskView[]
  readonly moreBefore: boolean
  readonly moreAfter: boolean
}

export interface TreeWindow {
  /** With a filter, rows that do not match are ancestors of matching ones. */
  readonly rows: readonly { readonly task: TaskView; readonly level: number; readonly matches: boolean }[]
  readonly moreBefore: boolean
  readonly moreAfter: boolean
}

/** The read part of them, which is what the screen shows. */
interface ShapeContents {
  readonly columns: readonly ColumnWindow[]
  readonly tree: TreeWindow | null
  /** Tasks on the longest chain of remaining work, in their order. */
  readonly critical: readonly number[]
}

export const asList: ShapeView = {
  as: 'list',
  left: 0,
  tops: { pending: 1, working: 1, failed: 1, completed: 1, cancelled: 1, tree: 1 },
  jump: null,
}

const noShapes: ShapeContents = { columns: [], tree: null, critical: [] }

// The preferences of a person: the arrangement of the panes, the keys, the theme and the modes.

/** The visible panes and their sizes, saved from one console of a project to the next. */
export interface Arrangement {
  /** True if only the focused pane is shown. */
  readonly zoomed: boolean
  readonly hidden: readonly Pane[]
  /** The borders that the person has moved, by the layout: a large screen is not arranged as a small one. */
  readonly borders: Readonly<Partial<Record<MovableLayout, Borders>>>
}

type MovableLayout = 'wide' | 'narrow'

export interface Borders {
  /** Columns of the left column. */
  readonly left?: number
  /** Lines of panes below a moved border. */
  readonly heights: Readonly<Partial<Record<Pane, number>>>
}

/** The configured keys of rows, by the row's id. */
export type Bindings = Readonly<Record<string, { readonly keys: readonly Stroke[]; readonly shown: string }>>

/** A person's preferences for the console, as opposed to facts about the project. */
export interface Preferences {
  readonly theme: ThemeChoice
  readonly bindings: Bindings
  readonly arrangement: Arrangement
  /** The pane that was hidden last, and the pane that got the focus then. */
  readonly hid: { readonly pane: Pane; readonly to: Pane } | null
  /** True if keys that act require the leader key first. */
  readonly strict: boolean
  /** True if the leader key was pressed. */
  readonly led: boolean
  /** True for a screen reader: sentences instead of panes. */
  readonly spoken: boolean
  /** True if the guide was dismissed. */
  readonly guided: boolean
  /** True if no agent program was found and none is configured: only tasks with a command can start. */
  readonly agentless: boolean
}

export const plainArrangement: Arrangement = { zoomed: false, hidden: [], borders: {} }

export const plainPreferences: Preferences = {
  theme: { wish: 'auto', background: undefined, colourless: false },
  bindings: {},
  arrangement: plainArrangement,
  hid: null,
  strict: false,
  led: false,
  spoken: false,
  guided: false,
  agentless: false,
}
