import type { StoreApi } from 'zustand/vanilla'
import type { FilterProps } from '../../../components/Filter.tsx'
import type { Line } from '../../../components/Lines.tsx'
import type { SheetProps } from '../../../components/Sheet.tsx'
import type { SafeText } from '../../domain/words/safe-text.ts'
import type { Attention } from '../../operations/screens/attention.ts'
import { type KeyId, keyText, modeText } from '../../text/keys.ts'
import type { Stroke } from '../keys/strokes.ts'
import type { ConsoleOptions, Controller } from './controller.ts'
import type { ConsoleState, Mode, Overlay, Preferences, Transition, View } from './state.ts'

// The rows by which views and keys are declared, and the table of all of them.

/**
 * All that the console knows of one view over the panes: `src/ui/views/index.ts` lists them, and dispatch, footer,
 * help, palette, scrolling, clicks, feeds and the initial state are loops over that list.
 */
interface ViewRow<Own extends { readonly kind: string }, Contents extends object = object> {
  readonly kind: Own['kind']
  /** Carries the type of the overlay only. */
  readonly overlay?: Own
  /** The title of its keys in the help. */
  readonly title: string
  readonly manner: Manner
  readonly keys: readonly BareRow[]
  /** Keys of the panes that open it. */
  readonly opens?: readonly BareRow[]
  /** Keys of it that other views take as well, by their manner. */
  readonly shares?: readonly SharedRow[]
  /** Ids of keys of the panes, or of shared ones of another manner, that it takes as well. */
  readonly also?: readonly (KeyId | (string & {}))[]
  /** Ids of shared keys of its manner that it does not take. */
  readonly without?: readonly (KeyId | (string & {}))[]
  /** Its part of the state before anything was read. */
  readonly empty: Contents
  readonly feed?: Feed

  // How it is drawn: by the component that src/ui/screen/Overlays.tsx has for it, as a window of rows, or as lines to scroll; the first that there is.

  readonly window?: (
    state: ConsoleState,
    overlay: Own,
    height: number,
  ) => Omit<SheetProps, 'width' | 'height'> | undefined
  readonly content?: (state: ConsoleState, overlay: Own) => SheetContent | undefined
  /** The line below the text with the effects of the keys, and whether they are available. */
  readonly answer?: {
    readonly line: (state: ConsoleState, overlay: Own) => SafeText
    readonly ready: (state: ConsoleState, overlay: Own) => boolean
  }
  /** Lines that it takes, including its border; by default those of its text, or all. */
  readonly lines?: (overlay: Own, columns: number, state: ConsoleState) => number
  /** Lines of its rows, for a body of so many: a view of rows is as tall as they are. Without it, it takes the whole body. */
  readonly tall?: (state: ConsoleState, overlay: Own, body: number) => number
  /** A box in the middle of a wide screen, wider if its rows are long, and at the bottom of another: a question. */
  readonly dialog?: true | 'wide'
  /** It is typed in the line of the notice; the view below it stays visible and gets the mouse. */
  readonly typed?: (state: ConsoleState, overlay: Own) => TypedLine
  /** True if it stays visible above a question or a typed line about it. */
  readonly stays?: true
  /** The most lines of a notice while it is in front, for a body of so many; one by default. */
  readonly notice?: (overlay: Own, body: number, from: Pick<ConsoleState, 'table'>) => number
  /** Its line that names keys, and the column where the text begins; a click on a part of it presses that key. */
  readonly words?: (
    state: ConsoleState,
    overlay: Own,
    line: number,
    height: number,
  ) => { readonly text: string; readonly from: number } | undefined

  // How it moves.

  /** Moves its cursor; by default its lines scroll. */
  readonly scroll?: Step<Own, [by: number]>
  /** Lines of a page; by default those of the text. */
  readonly page?: (state: ConsoleState) => number
  /** Handles a click inside the border; null if the view is only read. */
  readonly click: Step<Own, [line: number, column: number]> | null
  /** Handles the wheel over a line, if that differs from `scroll`. */
  readonly wheel?: Step<Own, [by: number, line: number]>
  /** Handles Esc, if it is more than one step back; undefined if it is not now. */
  readonly back?: (state: ConsoleState, overlay: Own) => ConsoleState | undefined
  /** True if what is typed may have several lines. */
  readonly takesLines?: (overlay: Own) => boolean
  /** Handles typed text. */
  readonly edit?: (state: ConsoleState, overlay: Own, edit: (before: string) => string) => Partial<View>

  // The answers of its keys.

  /**
   * True if its keys answer a question permanently. Keys that arrived together with the one that opened it are dropped.
   */
  readonly asks?: (overlay: Own) => boolean
  /** True if a repeated press of the answering key counts once. */
  readonly once?: true
  /** True if available keys come first in the footer. */
  readonly readyFirst?: true
  /** Called after a key moved the cursor, because the person has not read the new item yet. */
  readonly pressed?: (before: Own, controller: Controller) => void
  /** True if keys that arrived together with the key that uncovered it answer nothing. */
  readonly covered?: true
  /** The inbox items that this view shows, and how it opens for one of them, over the screen that `before` leaves. */
  readonly about?: {
    readonly has: (item: Attention) => boolean
    readonly open: (controller: Controller, item: Attention, before: Transition) => void
  }
  /** True if an answer to an agent that was begun in it, or a message, returns to it. */
  readonly hosts?: true
  /** It lists what waits: where its cursor goes after an answer to an item, or comes back to one. */
  readonly queue?: {
    readonly next: Step<Own, [place: string | null, now: string]>
    readonly at: Step<Own, [place: string]>
  }
  /** The agent or the worktree that the keys of a row act on while it is in front; by default those of the selected row. */
  readonly subject?: (state: ConsoleState, overlay: Own) => Subject
  /** True if it shows the lines of the log pane. */
  readonly showsLog?: (overlay: Own) => boolean
  /** True if the order, shape and filter of the board are only tried while it is open, and saved later. */
  readonly tries?: true
  /** The preferences before those that are only tried in it. */
  readonly untried?: (overlay: Own) => Partial<Preferences>
  /** Whether a person who looks at it sees that this waits. */
  readonly shows?: (state: ConsoleState, overlay: Own, item: Attention) => boolean
}

/** Drawn by a component of its own: one that src/ui/screen/Overlays.tsx does not have does not compile. */
export interface DrawnView<Own extends { readonly kind: string }, Contents extends object = object> extends ViewRow<
  Own,
  Contents
> {
  readonly drawn: true
}

/** Lines to read and scroll. */
export interface ReadView<Own extends { readonly kind: string }, Contents extends object = object> extends ViewRow<
  Own,
  Contents
> {
  readonly content: (state: ConsoleState, overlay: Own) => SheetContent | undefined
}

/** Rows with a cursor or a position. */
export interface ListView<Own extends { readonly kind: string }, Contents extends object = object> extends ViewRow<
  Own,
  Contents
> {
  readonly window: (
    state: ConsoleState,
    overlay: Own,
    height: number,
  ) => Omit<SheetProps, 'width' | 'height'> | undefined
  readonly scroll: Step<Own, [by: number]>
}

/** A typed line. */
export interface TypedView<Own extends { readonly kind: string }, Contents extends object = object> extends ViewRow<
  Own,
  Contents
> {
  readonly typed: (state: ConsoleState, overlay: Own) => TypedLine
  readonly edit: (state: ConsoleState, overlay: Own, edit: (before: string) => string) => Partial<View>
}

/** A row of any view; an overlay is always passed back to the row that created it. */
export type AnyView = ViewRow<Overlay & { readonly kind: Overlay['kind'] }>

/** Starts a view's reads, and returns a function that stops them. `careful` converts an error to a notice, and results in false. */
export type Feed = (
  options: ConsoleOptions,
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<boolean>,
) => () => void

/** Lines that are created when they become visible. */
export interface SheetContent {
  readonly title: SafeText
  readonly total: number
  readonly line: (index: number) => Line
}

/** The typed words, and the text after them. */
export type TypedLine = Required<Pick<FilterProps, 'text' | 'hint' | 'wrong'>>

/** A transition of the view itself, given the front overlay. */
export type Step<Own, Rest extends readonly unknown[] = []> = (
  state: ConsoleState,
  overlay: Own,
  ...rest: Rest
) => ConsoleState

/** The agent or worktree that a view is about. */
export interface Subject {
  readonly worktree?: string
  /** Null before the view knows it. */
  readonly agent?: string | null
}

export interface DrawingProps<Own> {
  readonly state: ConsoleState
  readonly overlay: Own
  readonly columns: number
  /** Lines of the view, including its border. */
  readonly taken: number
}

/** How a view is used. It decides which of the shared keys (src/ui/actions/keys.ts) the view takes. */
export const manners = ['reading', 'playing', 'choosing', 'asking', 'typing'] as const
type Manner = (typeof manners)[number]

/**
 * A key. Dispatch, footer, help, palette and docs/console.md are generated from these rows. `blocked` returns the
 * sentence why it is unavailable.
 */
export interface KeyRow {
  readonly id: string
  readonly keys: readonly Stroke[]
  /** The notation of the keys on the screen. */
  readonly shown: string
  /** A word for the footer, and a sentence for the help: both from src/text/keys.ts. */
  readonly label: string
  readonly help: string
  /** Another word for the footer, if the key has another effect on the selection. */
  readonly labelNow?: (state: ConsoleState) => string | undefined
  readonly modes: readonly Mode[]
  /** True if it is shown in the footer of its modes. */
  readonly footer?: true
  /** True if it acts at once without a question: the strict mode requires the leader key before it. */
  readonly acts?: true
  /** True if it answers a question permanently: its key cannot be changed, and no click presses it. */
  readonly answers?: true
  readonly blocked?: (state: ConsoleState) => string | undefined
  /** True if it writes to the board, at once or after a question or a form: unavailable while the board takes no writes. */
  readonly writes?: true
  /** True while its view stays what it is, so that it cannot become available: the footer leaves it out. */
  readonly absent?: (state: ConsoleState) => boolean
  /** `stroke`: the pressed key; a click and the palette pass none. */
  readonly press: (controller: Controller, stroke?: Stroke) => void
}

/**
 * A row as it is written: its words are in src/text/keys.ts or in the row itself, and its modes follow from its place.
 */
export type BareRow = Omit<KeyRow, 'id' | 'label' | 'help' | 'modes'> &
  ({ readonly id: KeyId } | Pick<KeyRow, 'id' | 'label' | 'help'>)

/** A row that views share: it works in views of these manners, and on the panes unless stated otherwise. */
export type SharedRow = BareRow & { readonly manners: readonly Manner[]; readonly panes?: false }

/** A key handler that changes only the view. */
export const by =
  (transition: Transition) =>
  (controller: Controller): void =>
    controller.change(transition)

/**
 * The views and keys of a console. It is part of the state, so that dispatch, drawing and sentences read it without
 * naming a view.
 */
export interface ConsoleTable {
  readonly views: Readonly<Record<string, AnyView>>
  /** Every mode with its title in the help, in the order of the help. */
  readonly modes: readonly { readonly mode: Mode; readonly title: string }[]
  readonly rows: readonly KeyRow[]
  /** Modes in which letters are text. */
  readonly typed: ReadonlySet<Mode>
}

/** `shared`: the keys of the panes, and those that views share. */
export const makeTable = (shared: readonly (BareRow | SharedRow)[], views: readonly AnyView[]): ConsoleTable => {
  const written: readonly (BareRow | SharedRow)[] = [
    ...shared,
    ...views.flatMap(({ opens = [], shares = [] }) => [...opens, ...shares]),
  ]
  const rows = [
    ...written.map((row) => ({ ...worded(row), modes: modesOf(row, views) })),
    ...views.flatMap(({ kind, keys }) => keys.map((row) => ({ ...worded(row), modes: [kind] }))),
  ]
  return {
    views: Object.fromEntries(views.map((view) => [view.kind, view])),
    modes: [{ mode: 'list', title: modeText.list }, ...views.map(({ kind, title }) => ({ mode: kind, title }))],
    // The catalogue of words determines the order of the help.
    rows: rows.sort((a, b) => placeOf(a) - placeOf(b)),
    typed: new Set(views.filter(({ manner }) => manner === 'typing').map(({ kind }) => kind)),
  }
}

const worded = (row: BareRow): Omit<KeyRow, 'modes'> => ('help' in row ? row : { ...row, ...keyText[row.id] })

const order: readonly string[] = Object.keys(keyText)

/** A row with its own words comes after those of the catalogue. */
const placeOf = ({ id }: Pick<KeyRow, 'id'>): number => (order.includes(id) ? order.indexOf(id) : order.length)

const modesOf = (row: BareRow | SharedRow, views: readonly AnyView[]): readonly Mode[] => {
  const shared = 'manners' in row ? row : undefined
  const takes = (view: AnyView): boolean =>
    (shared?.manners.includes(view.manner) === true || view.also?.includes(row.id) === true) &&
    view.without?.includes(row.id) !== true
  return [...(shared?.panes === false ? [] : (['list'] as const)), ...views.filter(takes).map(({ kind }) => kind)]
}
