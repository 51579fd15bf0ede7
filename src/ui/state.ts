import type { ProcessObservation, Radar, WorktreeObservation, WorktreeSize } from '../operations/kernel/outside.ts'
import { noLimits, noUsage } from '../domain/budget.ts'
import type { Conflict } from '../domain/radar.ts'
import type { SafeText } from '../domain/safe-text.ts'
import { ours } from '../domain/safe-text.ts'
import type { Instant } from '../domain/time.ts'
import type { ConsoleCommand } from '../operations/kernel/console-command.ts'
import type { AgentRunView } from '../operations/get-agent-runs.ts'
import type { TaskDetail } from '../operations/get-task.ts'
import type { Board } from '../operations/read-board.ts'
import type { LogLine } from '../../components/Log.tsx'
import type { Tone } from '../../components/look.ts'
import { type Comfort, plainComfort } from './comfort/state.ts'
import { asList, noShapes, type ShapeContents, type ShapeView } from './board/state.ts'
import type { FilterOverlay, SavedOverlay } from './filter/state.ts'
import type { Found } from './filter/matches.ts'
import { type DetailOverlay, nothingOpened, type OpenedDetail } from './detail/state.ts'
import type { Form } from './forms.ts'
import type { CommandsOverlay } from './git-commands.ts'
import type { BudgetOverlay } from './budget/budget.ts'
import type { GaugeReading } from './gauge/state.ts'
import type { GuardOverlay } from './guard.ts'
import type { InboxOverlay, Settled } from './inbox/state.ts'
import type { Intent } from './intents.ts'
import { type Kept, nothingKept } from './kept.ts'
import type { AnswerOverlay } from './palette/presses.ts'
import { emptyLogs, type LogContents, type LogSearchOverlay, type LogsOverlay } from './logs/state.ts'
import { type MemoryContents, type MemoryOverlay, nothingRead, type RecordRef } from './memory/state.ts'
import type { Sorts } from './sorting.ts'
import { noPast, type PastContents, type PastOverlay } from './past/state.ts'
import { noPlots, type PlotContents, type PlotsOverlay } from './plots/state.ts'
import type { Comment, LoadedOutput, LoadedReview, Place } from './review/state.ts'

export const panes = ['board', 'agents', 'log', 'worktrees'] as const
export type Pane = (typeof panes)[number]

/** The panes in which something is selected. */
export type ListPane = Exclude<Pane, 'log'>

/** What lies over the panes, and so what the keys mean. `behind` is what Esc goes back to. */
export type Overlay = { readonly behind?: Overlay | null } & (
  | ({ readonly kind: 'detail'; readonly of: ListPane; readonly top: number } & DetailOverlay)
  | ({ readonly kind: 'approval'; readonly worktree: string } & Reading)
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'verification'; readonly worktree: string; readonly top: number }
  | { readonly kind: 'request'; readonly request: number; readonly top: number }
  /** The matrix of conflicts, with a cursor; or with `pair` what two of it conflict in. */
  | { readonly kind: 'radar'; readonly row: number; readonly column: number; readonly top: number; readonly pair: Pick<Conflict, 'a' | 'b' | 'withTarget'> | null }
  | MemoryOverlay
  | GuardOverlay
  | BudgetOverlay
  | InboxOverlay
  | CommandsOverlay
  | { readonly kind: 'memory-search'; readonly text: string }
  | LogsOverlay
  | PlotsOverlay
  | PastOverlay
  | LogSearchOverlay
  | { readonly kind: 'record'; readonly record: RecordRef; readonly top: number }
  | { readonly kind: 'confirm'; readonly intent: Intent; readonly lines: readonly SafeText[] }
  /** `sought`: words that its rows must have. */
  | { readonly kind: 'help'; readonly top: number; readonly total: number; readonly sought: string }
  | { readonly kind: 'help-search'; readonly text: string }
  | { readonly kind: 'palette'; readonly text: string; readonly at: number }
  | FilterOverlay
  | SavedOverlay
  | AnswerOverlay
  | { readonly kind: 'form'; readonly form: Form }
)

export type Mode = 'list' | Overlay['kind']

/** How far one is with the reading of a review. */
export interface Reading {
  /** Where the cursor is, and how many rows it stands below the first that is seen. */
  readonly at: Place
  readonly offset: number
  /** Paths of the files that are folded. */
  readonly folded: readonly string[]
  /** What was looked for last. */
  readonly sought: string
}

export interface View {
  readonly pane: Pane
  /** The pane whose selection the keys are about: the last list that had the focus. */
  readonly about: ListPane
  readonly task: number | null
  readonly agent: string | null
  readonly worktree: string | null
  /** The place of what waited for a person and was shown last; it says where to go on also when that is gone. */
  readonly shown: string | null
  /** The row at the top of each list: the number of a task, the index of the others. */
  readonly tops: Readonly<Record<ListPane, number>>
  /** Lines that the log is scrolled back from its end; following means 0. */
  readonly back: number
  readonly follow: boolean
  /** The column that each list is sorted by; without one it stands in its fixed order. */
  readonly sorts: Sorts
  readonly filter: string
  /** The task round which the board is read. */
  readonly around: number
  /** The board as a list, as columns or as a tree. */
  readonly shape: ShapeView
  /** The end of the board to select when its rows arrive, and how far from it keys have moved on since. */
  readonly jump: { readonly to: 'first' | 'last'; readonly by: number } | null
  readonly overlay: Overlay | null
  readonly notice: { readonly text: SafeText; readonly tone: Tone }
  readonly size: { readonly columns: number; readonly rows: number }
}

export interface ConsoleState {
  readonly loaded: boolean
  readonly board: Board
  /** What was read of the board's columns and of its tree. */
  readonly shapes: ShapeContents
  readonly processes: Readonly<Record<string, ProcessObservation>>
  readonly observed: Readonly<Record<string, WorktreeObservation>>
  /** Disk space of the worktrees that were opened. */
  readonly sizes: Readonly<Record<string, WorktreeSize>>
  /** Null until it has looked for the first time. */
  readonly radar: Radar | null
  readonly log: readonly LogLine[]
  /** The logs of all agents, while they are open. */
  readonly logs: LogContents
  /** The event log, while the timeline is open. */
  readonly past: PastContents
  /** The selected task with its attempts. */
  readonly detail: TaskDetail | null
  /** What was read for the open sections of the detail in front. */
  readonly opened: OpenedDetail
  /** The runs of the selected agent. */
  readonly runs: readonly AgentRunView[]
  /** What was read of the worktree that is to be approved; an approval is bound to exactly the commits in it. */
  readonly review: LoadedReview | null
  /** Remarks on the diff of each worktree that were not sent yet. */
  readonly comments: Readonly<Record<string, readonly Comment[]>>
  readonly output: LoadedOutput | null
  readonly memory: MemoryContents
  readonly plots: PlotContents
  readonly personas: readonly string[]
  /** What was answered here in the last minute. */
  readonly settled: readonly Settled[]
  /** How many tasks meet the filter; null where there is none. */
  readonly found: Found | null
  /** Commands of the command line that the palette offers. */
  readonly commands: readonly ConsoleCommand[]
  /** What is remembered of earlier consoles. */
  readonly kept: Kept
  readonly supervisor: { readonly here: boolean; readonly pid: number | null; readonly hold?: string | null }
  /** Whole seconds: what is drawn from it changes once a second. */
  readonly now: Instant
  readonly comfort: Comfort
  /** What the console measures of itself, while that is shown. */
  readonly gauge: GaugeReading | null
  readonly view: View
}

export type Transition = (state: ConsoleState) => ConsoleState

export const modeOf = (state: ConsoleState): Mode => state.view.overlay?.kind ?? 'list'

export const initialState = (now: Instant): ConsoleState => ({
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
    worktrees: [],
    attention: [],
    requests: [],
    held: [],
    limits: { maxParallel: 0, stalledAfter: 0, writers: 1, readers: [] },
  },
  shapes: noShapes,
  processes: {},
  observed: {},
  sizes: {},
  radar: null,
  log: [],
  logs: emptyLogs,
  past: noPast,
  detail: null,
  opened: nothingOpened,
  runs: [],
  review: null,
  comments: {},
  output: null,
  memory: nothingRead,
  plots: noPlots,
  personas: [],
  settled: [],
  found: null,
  commands: [],
  kept: nothingKept,
  supervisor: { here: true, pid: null },
  now,
  comfort: plainComfort,
  gauge: null,
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

/** A transition of the view alone. */
export const looking =
  (change: (view: View, state: ConsoleState) => Partial<View>): Transition =>
  (state) => ({ ...state, view: { ...state.view, ...change(state.view, state) } })
