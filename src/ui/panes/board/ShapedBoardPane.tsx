import { memo } from 'react'
import { ours } from '../../../domain/words/safe-text.ts'
import { Columns } from '../../../../components/Columns.tsx'
import { Tree } from '../../../../components/Tree.tsx'
import { useConsole, useRows } from '../context.ts'
import { shownKey } from '../../keys/bindings.ts'
import { BoardPane, type PaneProps } from './BoardPane.tsx'
import { columnRows, treeRows } from './rows.ts'
import { commonText } from '../../../text/common.ts'
import { paneText } from '../../../text/panes.ts'

/** The board in the selected shape. */
export const ShapedBoardPane = memo((props: PaneProps) => {
  const as = useConsole((state) => state.view.shape.as)
  if (as === 'columns') return <ColumnsPane {...props} />
  return as === 'tree' ? <TreePane {...props} /> : <BoardPane {...props} />
})
ShapedBoardPane.displayName = 'ShapedBoardPane'

const ColumnsPane = ({ width, height, focused }: PaneProps) => {
  const shown = useRows((state) => columnRows(state, height))
  return <Columns {...shown} width={width} focused={focused} />
}

const TreePane = ({ width, height, focused }: PaneProps) => {
  const rows = useRows((state) => treeRows(state, width, Math.max(1, height - 1)))
  const empty = useConsole((state) =>
    state.shapes.tree === null
      ? commonText.reading
      : state.view.filter === ''
        ? paneText.noTasks(shownKey(state, 'new'))
        : paneText.noTaskFound,
  )
  return <Tree rows={rows} width={width} focused={focused} empty={ours(empty)} />
}
