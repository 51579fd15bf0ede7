import { memo } from 'react'
import { ours } from '../../../domain/words/safe-text.ts'
import { Board } from '../../../../components/Board.tsx'
import { guideOf } from './guide.ts'
import { useConsole, useRows } from '../context.ts'
import { shownKey } from '../../keys/bindings.ts'
import { topFor } from '../../core/layout.ts'
import { boardWidths } from '../../core/pane-needs.ts'
import { rowsIn, saysReason } from '../room.ts'
import { indexIn, topIndex } from '../list-selection.ts'
import { agentSpinner } from '../../rows/progress.ts'
import { boardRow, rowReason } from '../../rows/tasks.ts'
import { shownTasks } from '../sorting.ts'
import { commonText } from '../../../text/common.ts'
import { paneText } from '../../../text/panes.ts'

export interface PaneProps {
  readonly width: number
  readonly height: number
  readonly focused: boolean
}

export const BoardPane = memo(({ width, height, focused }: PaneProps) => {
  const rows = useRows((state) => {
    const { board, view, now } = state
    const fit = rowsIn(state, 'board', width, height)
    const top = topFor(topIndex(state, 'board'), indexIn(state, 'board'), fit, board.tasks.length)
    return shownTasks(state)
      .slice(top, top + fit)
      .map((task) => ({
        ...boardRow(task, now, board.attention, task.id === view.task),
        reason: rowReason(state, task),
        spinner: agentSpinner(state, task.assignedAgentId),
      }))
  })
  const empty = useConsole((state) =>
    !state.loaded
      ? commonText.reading
      : state.view.filter === ''
        ? paneText.noTasks(shownKey(state, 'new'))
        : paneText.noTaskFound,
  )
  const guide = useRows(guideOf)
  const { agent, title } = useConsole((state) => boardWidths(state.board.tasks))
  const says = useConsole((state) => saysReason(state, width, height))
  const lines = rows.length + 2 < height ? height - rows.length - 1 : 1
  const reason = rows.find(({ selected }) => selected)?.reason
  return (
    <Board
      rows={rows}
      width={width}
      widths={{ agent, title }}
      focused={focused}
      empty={ours(empty)}
      guide={guide}
      {...(says ? { reason: reason ?? ours(''), lines } : {})}
    />
  )
})
BoardPane.displayName = 'BoardPane'
