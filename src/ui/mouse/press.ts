import type { BoardColumn } from '../../domain/task/task.ts'
import { footerSpans } from '../../../components/Footer.tsx'
import type { Controller } from '../core/controller.ts'
import { columnUnder, selectUnder, taskUnder, turnOnBoard } from './board.ts'
import { leavingRefusals, pressKey } from '../keys/dispatch.ts'
import { footerOf, footerRows } from '../keys/help.ts'
import type { KeyRow } from '../core/registry.ts'
import { BODY_TOP, layoutOf, type Room, roomsShown } from '../core/layout.ts'
import { moveIn } from '../panes/movement.ts'
import { headIn, rowAtTop, rowsIn, selectRow } from '../panes/list.ts'
import { focus } from '../panes/arrangement.ts'
import { held, holding } from './borders.ts'
import { bodyShown, type Box, frontBox } from '../core/overlays.ts'
import type { ConsoleState, Pane } from '../core/state.ts'
import type { MouseEvent } from '../terminal/mouse.ts'
import { clickOver, turnOver } from './front.ts'
import { keyNamedAt } from './words.ts'
import { mouseText } from '../../text/panes.ts'

// Finds the target of the mouse by the layout and the footer's spans.

export type Hit =
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
