import { memo } from 'react'
import { ours } from '../../../domain/words/safe-text.ts'
import { Board } from '../../../../components/Board.tsx'
import { guideOf } from './guide.ts'
import { useConsole, useRows } from '../context.ts'
import { shownKey } from '../../keys/names.ts'
import { topFor } from '../../core/layout.ts'
import { indexIn, topIndex } from '../list-selection.ts'
import { rowReason } from '../../rows/row-reason.ts'
import { boardRow } from '../../rows/board-row.ts'
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
    const fit = Math.max(1, height - 1)
    const top = topFor(topIndex(state, 'board'), indexIn(state, 'board'), fit, board.tasks.length)
    return shownTasks(state)
      .slice(top, top + fit)
      .map((task) => ({
        ...boardRow(task, now, board.attention, task.id === view.task),
        reason: rowReason(state, task),
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
  return <Board rows={rows} width={width} focused={focused} empty={ours(empty)} guide={guide} />
})
BoardPane.displayName = 'BoardPane'
