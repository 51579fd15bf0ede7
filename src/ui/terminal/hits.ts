import type { BoardColumn } from '../../domain/columns.ts'
import { footerSpans } from '../../../components/Footer.tsx'
import type { Desk } from '../desk.ts'
import { columnUnder, selectUnder, taskUnder, turnOnBoard } from '../board/hits.ts'
import { leavingRefusals, pressKey } from '../dispatch.ts'
import { footerOf, footerRows } from '../key-table.ts'
import type { KeyRow } from '../keys.ts'
import { BODY_TOP, layoutOf, type Room, roomsShown } from '../layout.ts'
import { focus, moveIn, rowAtTop, selectRow } from '../movement.ts'
import { noticeHeight, noticeRoom } from '../panes/Edges.tsx'
import { linesTaken } from '../panes/Over.tsx'
import type { ConsoleState, Pane } from '../state.ts'
import type { MouseEvent } from './mouse.ts'
import { clickOver, frontTop, turnOver } from './over-hits.ts'
import { keyNamedAt } from './word-hits.ts'
import { mouseText } from '../../text/panes.ts'

// What lies under the mouse follows from the layout and from the footer's own reckoning.

export type Hit =
  | { readonly kind: 'pane'; readonly pane: Pane; readonly row: number | null }
  /** The board as columns, one of which is under it, or as a tree. */
  | { readonly kind: 'board'; readonly column: BoardColumn | null; readonly task: number | null }
  /** Counted from the upper left corner of what lies in front; above it lines count backwards. */
  | { readonly kind: 'over'; readonly line: number; readonly column: number }
  | { readonly kind: 'key'; readonly row: KeyRow }

/** Rows that one turn of the wheel moves. */
const TURN = 3

export const pressMouse = (desk: Desk, event: MouseEvent): void => {
  if (desk.isLeaving()) return
  const hit = hitAt(desk.state(), event.column, event.row)
  if (!hit) return
  if (event.kind === 'click')
    return leavingRefusals(desk, () => {
      click(desk, hit)
      return true
    })
  const by = event.kind === 'wheel-up' ? -TURN : TURN
  if (hit.kind === 'over') desk.change(turnOver(by, hit.line))
  if (hit.kind === 'board') desk.change(turnOnBoard(hit.column, by))
  if (hit.kind === 'pane') desk.change(moveIn(hit.pane, by))
}

/** Column and row count from 0. */
export const hitAt = (state: ConsoleState, column: number, row: number): Hit | undefined => {
  const { size, pane: focused, overlay } = state.view
  const { kind, body } = layoutOf(size.columns, size.rows, focused)
  if (kind === 'none') return undefined
  if (row === BODY_TOP + body + 1) return keyAt(state, column)
  if (row < BODY_TOP || row >= BODY_TOP + body) return undefined
  const shown = body + 1 - noticeHeight(state, size.columns, noticeRoom(overlay, body))
  if (row >= BODY_TOP + shown) return undefined
  const taken = linesTaken(overlay, shown, size.columns, state)
  // What lies over the panes has the whole attention: nothing behind it moves.
  if (taken > 0) return { kind: 'over', line: row - BODY_TOP - frontTop(state, shown), column }
  const rooms = roomsShown(size.columns, size.rows, focused, { taken, noticed: body - shown }, state.comfort.arrangement)
  const under = (Object.entries(rooms) as [Pane, Room][]).find(([, room]) => isIn(room, column, row))
  if (!under) return undefined
  const [pane, room] = under
  if (pane === 'board' && state.view.shape.as !== 'list') {
    const part = columnUnder(state, room, column)
    return { kind: 'board', column: part, task: taskUnder(state, part, row - room.top) }
  }
  return { kind: 'pane', pane, row: rowIn(state, pane, room, row - room.top) }
}

const click = (desk: Desk, hit: Hit): void => {
  const named = hit.kind === 'key' ? hit.row : hit.kind === 'over' ? keyNamedAt(desk.state(), hit.line, hit.column) : undefined
  if (named) {
    // Two clicks in one place come fast, and the question that the first one opened has its answers there.
    if (named.answers) return desk.tell(mouseText.answeredByKey(named.shown), 'refused')
    return void pressKey(desk, named)
  }
  if (hit.kind === 'key') return
  if (hit.kind === 'over') return desk.change(clickOver(hit.line, hit.column))
  if (hit.kind === 'board') {
    desk.change(focus('board'))
    return hit.task === null ? undefined : desk.change(selectUnder(hit.task))
  }
  desk.change(focus(hit.pane))
  if (hit.pane !== 'log' && hit.row !== null) desk.change(selectRow(hit.pane, hit.row))
}

const keyAt = (state: ConsoleState, column: number): Hit | undefined => {
  const { rows, last } = footerRows(state)
  const { keys, last: lastKey } = footerOf(state)
  const span = footerSpans({ keys, last: lastKey, width: state.view.size.columns }).find(({ from, to }) => column >= from && column < to)
  if (!span) return undefined
  const row = span.key === lastKey ? last : rows[keys.indexOf(span.key)]
  return row ? { kind: 'key', row } : undefined
}

/** With the border round it. */
const isIn = ({ left, top, width, height }: Room, column: number, row: number): boolean => column >= left - 1 && column <= left + width && row >= top - 1 && row < top + height

/** The row of a list under a line of its pane, below its heading. */
const rowIn = (state: ConsoleState, pane: Pane, room: Room, line: number): number | null => {
  if (pane === 'log' || line < 0) return null
  const heading = pane === 'worktrees' ? 0 : 1
  return line < heading ? null : rowAtTop(state, pane, Math.max(1, room.height - heading)) + line - heading
}
