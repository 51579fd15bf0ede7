import { memo } from 'react'
import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { Worktrees } from '../../../../components/Worktrees.tsx'
import { useRows } from '../context.ts'
import { topFor } from '../../core/layout.ts'
import { rowsIn } from '../room.ts'
import { indexIn } from '../list-selection.ts'
import { mergesNow, radarMark, reasonOfWorktree, worktreeRow, worktreeTime } from '../../rows/worktrees.ts'
import { worktreeSpinner } from '../../rows/progress.ts'
import { silentAfterIn } from '../../rows/hosts.ts'
import { shownWorktrees } from '../sorting.ts'
import type { PaneProps } from '../board/BoardPane.tsx'
import { paneText } from '../../../text/panes.ts'

export const WorktreesPane = memo(({ width, height, focused }: PaneProps) => {
  const rows = useRows((state) => {
    const { board, view, observed } = state
    const fit = rowsIn(state, 'worktrees', width, height)
    const top = topFor(view.tops.worktrees, indexIn(state, 'worktrees'), fit, board.worktrees.length)
    return shownWorktrees(state)
      .slice(top, top + fit)
      .map((worktree) => ({
        ...worktreeRow(
          worktree,
          observed[worktree.name],
          radarMark(state, worktree.name),
          mergesNow(state, worktree),
          worktree.name === view.worktree,
          { now: state.now, silentAfter: silentAfterIn(state) },
        ),
        time: worktreeTime(state, worktree),
        spinner: worktreeSpinner(state, worktree),
        reason: safeText(reasonOfWorktree(state, worktree)),
      }))
  })
  return (
    <Worktrees rows={rows} width={width} focused={focused} headed={height > 1} empty={ours(paneText.noWorktrees)} />
  )
})
WorktreesPane.displayName = 'WorktreesPane'
