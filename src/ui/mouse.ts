import { footerSpans } from '../../components/Footer.tsx'
import { widthOf } from '../../components/base/fit.ts'
import { GAP } from '../../components/lines/form.ts'
import type { BoardColumn } from '../domain/task/task.ts'
import type { SafeText } from '../domain/words/safe-text.ts'
import { mouseText } from '../text/panes.ts'
import { tasksAround, topIn, visibleColumns, windowOfSelected } from './core/board-window.ts'
import type { Controller } from './core/controller.ts'
import { BODY_TOP, layoutOf, type Room, roomsShown } from './core/layout.ts'
import { bodyShown, type Box, frontBox, frontOf, heightIn, stayingIn, viewOf } from './core/overlays.ts'
import type { KeyRow } from './core/registry.ts'
import { changingView, type ConsoleState, modeOf, type Overlay, type Pane, type Transition } from './core/state.ts'
import { leavingRefusals, pressKey, rowWritten } from './keys/dispatch.ts'
import { answerOf, footerOf, footerRows } from './keys/help.ts'
import { borderAt, focus, pulledTo, withBorders } from './panes/arrangement.ts'
import { moveOnBoard, selectOnBoard, withLeft } from './panes/board.ts'
import { headIn, rowAtTop, rowsIn, rowsThatFit, selectRow } from './panes/list.ts'
import { move, moveIn } from './panes/movement.ts'
import type { MouseEvent } from './terminal/mouse.ts'

// The mouse: what is under it, by the layout and the spans of the footer, and what a click, the wheel and a pull
// do there.

type Hit =
  | { readonly kind: 'pane'; readonly pane: Pane; readonly row: number | null }
  /** The board as columns, with the one under the mouse, or as a tree. */
  | { readonly kind: 'board'; readonly column: BoardColumn | null; readonly task: number | null }
  /** Counted from the upper left corner of the front view; lines above it are negative. */
  | { readonly kind: 'over'; readonly line: number; readonly column: number }
  | { readonly kind: 'key'; readonly row: KeyRow }

/** Rows per turn of the wheel. */
const TURN = 3

export const pressMouse = (controller: Controller, event: MouseEvent): void => {
  if (controller.isLeaving()) return
  if (event.kind === 'pull' || event.kind === 'release') return controller.change(held(event))
  const hit = hitAt(controller.state(), event.column, event.row)
  if (!hit) return
  if (event.kind === 'click')
    return leavingRefusals(controller, () => {
      controller.change(holding(event))
      click(controller, hit)
      return true
    })
  const by = event.kind === 'wheel-up' ? -TURN : TURN
  if (hit.kind === 'over') controller.change(turnOver(by, hit.line))
  if (hit.kind === 'board') controller.change(turnOnBoard(hit.column, by))
  if (hit.kind === 'pane') controller.change(moveIn(hit.pane, by))
}

/** Column and row count from 0. */
export const hitAt = (state: ConsoleState, column: number, row: number): Hit | undefined => {
  const { size, pane: focused } = state.view
  const { kind, body } = layoutOf(size.columns, size.rows, focused)
  if (kind === 'none') return undefined
  if (row === BODY_TOP + body + 1) return keyAt(state, column)
  if (row < BODY_TOP || row >= BODY_TOP + body) return undefined
  const shown = bodyShown(state)
  if (row >= BODY_TOP + shown) return undefined
  const box = frontBox(state, shown)
  // A view over the panes gets all events: nothing below it moves.
  if (box) return over(box, row - BODY_TOP, column)
  const rooms = roomsShown(state, body - shown)
  const under = (Object.entries(rooms) as [Pane, Room][]).find(([, room]) => isIn(room, column, row))
  if (!under) return undefined
  const [pane, room] = under
  if (pane === 'board' && state.view.shape.as !== 'list') {
    const part = columnUnder(state, room, column)
    return { kind: 'board', column: part, task: taskUnder(state, part, row - room.top) }
  }
  return { kind: 'pane', pane, row: rowIn(state, pane, room, row - room.top) }
}

/** A place beside the front view counts as above it. */
const over = ({ top, left, columns, lines }: Box, row: number, column: number): Hit => {
  const isBeside = row >= top + lines || column < left || column >= left + columns
  return { kind: 'over', line: isBeside ? -1 : row - top, column: column - left }
}

const click = (controller: Controller, hit: Hit): void => {
  const named =
    hit.kind === 'key'
      ? hit.row
      : hit.kind === 'over'
        ? keyNamedAt(controller.state(), hit.line, hit.column)
        : undefined
  if (named) {
    // Two fast clicks in one place would answer the question that the first one opened.
    if (named.answers) return controller.tell(mouseText.answeredByKey(named.shown), 'refused')
    return void pressKey(controller, named)
  }
  if (hit.kind === 'key') return
  if (hit.kind === 'over') return controller.change(clickOver(hit.line, hit.column))
  if (hit.kind === 'board') {
    controller.change(focus('board'))
    return hit.task === null ? undefined : controller.change(selectUnder(hit.task))
  }
  controller.change(focus(hit.pane))
  if (hit.pane !== 'log' && hit.row !== null) controller.change(selectRow(hit.pane, hit.row))
}

const keyAt = (state: ConsoleState, column: number): Hit | undefined => {
  const { rows, last } = footerRows(state)
  const { keys, last: lastKey } = footerOf(state)
  const span = footerSpans({ keys, last: lastKey, width: state.view.size.columns }).find(
    ({ from, to }) => column >= from && column < to,
  )
  if (!span) return undefined
  const row = span.key === lastKey ? last : rows[keys.indexOf(span.key)]
  return row ? { kind: 'key', row } : undefined
}

/** Including its border. */
const isIn = ({ left, top, width, height }: Room, column: number, row: number): boolean =>
  column >= left - 1 && column <= left + width && row >= top - 1 && row < top + height

/** The row of a list at a line of its pane, below its heading. */
const rowIn = (state: ConsoleState, pane: Pane, room: Room, line: number): number | null => {
  if (pane === 'log' || line < 0) return null
  const heading = headIn(room.height)
  const fit = rowsIn(state, pane, room.width, room.height)
  return line < heading || line >= heading + fit ? null : rowAtTop(state, pane, fit) + line - heading
}

// Finds keys in lines that name them: each part of a line begins with its key, like a label of the footer.

/** The key named at a position of the front view, counted from its upper left corner. */
const keyNamedAt = (state: ConsoleState, line: number, column: number): KeyRow | undefined => {
  const words = wordsAt(state, line)
  const key = words && partAt(words.text, column - words.from)?.split(' ')[0]
  return key === undefined ? undefined : rowWritten(state, modeOf(state), key)
}

/** Such a line, and the column in which it begins. */
const wordsAt = (state: ConsoleState, line: number): { readonly text: string; readonly from: number } | undefined => {
  const { overlay } = state.view
  if (!overlay) return undefined
  const height = heightIn(state, overlay)
  const answer = answerBelow(state)
  // After its mark.
  if (answer !== undefined) return line === height - 1 ? { text: answer, from: 3 } : undefined
  return viewOf(state, overlay).words?.(state, overlay, line, height)
}

const partAt = (text: string, column: number): string | undefined => {
  let from = 0
  return text.split(GAP).find((part) => {
    const begin = from
    from += widthOf(part) + widthOf(GAP)
    return column >= begin && column < begin + widthOf(part)
  })
}

/** The effects of the keys, in the line below the front view; undefined if there is no such line. */
const answerBelow = (state: ConsoleState): SafeText | undefined => {
  const { overlay } = state.view
  return overlay === null ? undefined : answerOf(state, overlay)?.line
}

// Mouse events on a view over the panes: a click selects a row or a field, and never does what enter does.

/** `line` and `column` count from the upper left corner of the front view: clicks above it are ignored. */
export const clickOver = (line: number, column: number): Transition =>
  onSeen(Math.max(0, line), (state) => {
    const { overlay } = state.view
    return !overlay || line < 1
      ? state
      : (viewOf(state, overlay).click?.(state, overlay, line - 1, column - 1) ?? state)
  })

/** Handles the wheel. */
const turnOver = (by: number, line: number): Transition =>
  onSeen(line, (state) => {
    const { overlay } = state.view
    const wheel = overlay === null ? undefined : viewOf(state, overlay).wheel
    return overlay && wheel ? wheel(state, overlay, by, line) : move(by)(state)
  })

/** Changes the view under the mouse, wherever in the stack it is. */
const onSeen =
  (line: number, transition: Transition): Transition =>
  (state) => {
    const { overlay } = state.view
    const seen = seenAt(state, line)
    if (!overlay || !seen) return state
    const changed = transition(changingView(() => ({ overlay: seen }))(state))
    return changingView((view) => ({ overlay: view.overlay && inPlaceOf(seen, view.overlay, overlay) }))(changed)
  }

/** The review stays visible above a question about it; the panes do not. */
const seenAt = (state: ConsoleState, line: number): Overlay | null => {
  const front = frontOf(state, state.view.overlay)
  return line < 0 ? (stayingIn(state, front) ?? null) : front
}

const inPlaceOf = (old: Overlay, by: Overlay, overlay: Overlay): Overlay =>
  overlay === old || !overlay.behind ? by : { ...overlay, behind: inPlaceOf(old, by, overlay.behind) }

// Finds the target of the mouse on the columns and the tree.

/** The board's column at a column of the terminal; null in the tree. */
const columnUnder = (state: ConsoleState, room: Room, at: number): BoardColumn | null => {
  if (state.view.shape.as !== 'columns') return null
  const seen = visibleColumns(state)
  const each = Math.floor(room.width / seen.length)
  return seen[Math.max(0, Math.min(seen.length - 1, Math.floor((at - room.left) / each)))]!
}

/** The task at a line of the board, counted from its heading; null if there is none. */
const taskUnder = (state: ConsoleState, column: BoardColumn | null, line: number): number | null => {
  const height = rowsThatFit(state, 'board')
  if (line < 1 || line > height) return null
  const { task, shape } = state.view
  const tasks = column === null ? tasksAround(state) : tasksIn(state, column)
  const top = topIn(
    tasks,
    shape.tops[column ?? 'tree'],
    tasks.findIndex(({ id }) => id === task),
    height,
  )
  return tasks[top + line - 1]?.id ?? null
}

/** Selects the clicked row; nothing scrolls, because it is on the screen. */
const selectUnder =
  (id: number): Transition =>
  (state) => {
    const selected = changingView(({ shape }) => ({ task: id, shape: { ...shape, jump: null } }))(state)
    if (state.view.shape.as === 'columns') return withLeft(selected)
    return selectOnBoard(
      selected,
      tasksAround(selected).findIndex((task) => task.id === id),
    )
  }

/** The wheel moves the selection if it is in the column under the mouse, and otherwise only scrolls that column. */
const turnOnBoard =
  (column: BoardColumn | null, by: number): Transition =>
  (state) => {
    if (column === null || windowOfSelected(state)?.column === column) return moveOnBoard(state, by)
    const tasks = tasksIn(state, column)
    const height = rowsThatFit(state, 'board')
    const top = topIn(tasks, state.view.shape.tops[column], -1, height)
    const task = tasks[Math.max(0, Math.min(tasks.length - height, top + by))]
    return task === undefined || task === tasks[top]
      ? state
      : changingView(({ shape }) => ({ shape: { ...shape, tops: { ...shape.tops, [column]: task.id } } }))(state)
  }

const tasksIn = (state: ConsoleState, column: BoardColumn) =>
  state.shapes.columns.find((one) => one.column === column)?.tasks ?? []

// The mouse pulls the borders between panes.

/** A press takes hold of the border under it, unless a view is over the panes. */
const holding =
  ({ column, row }: MouseEvent): Transition =>
  (state) => {
    const { zoomed } = state.preferences.arrangement
    const border = state.view.overlay || zoomed ? undefined : borderAt(state, column, row)
    return changingView(() => ({ held: border ?? null }))(state)
  }

/** A movement pulls the held border, until the button is released. */
const held =
  ({ kind, column, row }: MouseEvent): Transition =>
  (state) => {
    const { held: border } = state.view
    if (border === null) return state
    if (kind === 'release' || state.view.overlay) return changingView(() => ({ held: null }))(state)
    return withBorders(state, pulledTo(state, border, column, row))
  }
