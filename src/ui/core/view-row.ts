import type { StoreApi } from 'zustand/vanilla'
import type { SafeText } from '../../domain/words/safe-text.ts'
import type { FilterProps } from '../../../components/Filter.tsx'
import type { Line } from '../../../components/Lines.tsx'
import type { SheetProps } from '../../../components/Sheet.tsx'
import type { Attention } from '../../operations/screens/attention.ts'
import type { ConsoleOptions } from '../options.ts'
import type { Controller } from './controller.ts'
import type { Preferences } from './preferences.ts'
import type { BareRow, KeyId, Manner, SharedRow } from '../keys/row.ts'
import type { ConsoleState, Overlay, Transition, View } from './state.ts'

/** Lines that are created when they become visible. */
export interface SheetContent {
  readonly title: SafeText
  readonly total: number
  readonly line: (index: number) => Line
}

/** The typed words, and the text after them. */
export type TypedLine = Required<Pick<FilterProps, 'text' | 'hint' | 'wrong'>>

export interface DrawingProps<Own> {
  readonly state: ConsoleState
  readonly overlay: Own
  readonly columns: number
  /** Lines of the view, including its border. */
  readonly taken: number
}

/** Starts a view's reads, and returns a function that stops them. `careful` converts an error to a notice. */
export type Feed = (
  options: ConsoleOptions,
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<void>,
) => () => void

/** The agent or worktree that a view is about. */
export interface Subject {
  readonly worktree?: string
  /** Null before the view knows it. */
  readonly agent?: string | null
}

/** A transition of the view itself, given the front overlay. */
export type Step<Own, Rest extends readonly unknown[] = []> = (
  state: ConsoleState,
  overlay: Own,
  ...rest: Rest
) => ConsoleState

/**
 * All that the console knows of one view over the panes: `src/ui/views/index.ts` lists them, and dispatch, footer,
 * help, palette, scrolling, clicks, feeds and the initial state are loops over that list.
 */
export interface ViewRow<Own extends { readonly kind: string }, Contents extends object = object> {
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

  // How it is drawn: by the component that src/ui/screen/drawings.tsx has for it, as a window of rows, or as lines to scroll; the first that there is.

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

/** Drawn by a component of its own: one that src/ui/screen/drawings.tsx does not have does not compile. */
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

export type { Overlay, Transition }
