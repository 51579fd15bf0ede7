import { memo } from 'react'
import { ours } from '../../domain/safe-text.ts'
import { Board } from '../../../components/Board.tsx'
import { useConsole, useRows } from '../context.ts'
import { topFor } from '../layout.ts'
import { indexIn, topIndex } from '../movement.ts'
import { boardRow } from '../rows.ts'

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
    return board.tasks.slice(top, top + fit).map((task) => boardRow(task, now, board.attention, task.id === view.task))
  })
  const empty = useConsole(({ loaded, view }) => (!loaded ? 'reading…' : view.filter === '' ? 'No tasks yet; n makes one.' : 'No task has these words; esc shows all.'))
  return <Board rows={rows} width={width} focused={focused} empty={ours(empty)} />
})
BoardPane.displayName = 'BoardPane'
