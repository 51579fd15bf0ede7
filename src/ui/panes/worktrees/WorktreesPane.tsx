import { memo } from 'react'
import { ours } from '../../../domain/words/safe-text.ts'
import { Worktrees } from '../../../../components/Worktrees.tsx'
import { useRows } from '../context.ts'
import { topFor } from '../../core/layout.ts'
import { indexIn } from '../list-selection.ts'
import { radarMark } from '../../rows/conflicts.ts'
import { mergesNow } from '../../rows/reasons.ts'
import { worktreeTime } from '../../rows/row-reason.ts'
import { worktreeRow } from '../../rows/worktree-row.ts'
import { shownWorktrees } from '../sorting.ts'
import type { PaneProps } from '../board/BoardPane.tsx'
import { paneText } from '../../../text/panes.ts'

export const WorktreesPane = memo(({ width, height, focused }: PaneProps) => {
  const rows = useRows((state) => {
    const { board, view, observed } = state
    const top = topFor(view.tops.worktrees, indexIn(state, 'worktrees'), height, board.worktrees.length)
    return shownWorktrees(state)
      .slice(top, top + height)
      .map((worktree) => ({
        ...worktreeRow(
          worktree,
          observed[worktree.name],
          radarMark(state, worktree.name),
          mergesNow(state, worktree),
          worktree.name === view.worktree,
        ),
        time: worktreeTime(state, worktree),
      }))
  })
  return <Worktrees rows={rows} width={width} focused={focused} empty={ours(paneText.noWorktrees)} />
})
WorktreesPane.displayName = 'WorktreesPane'
