import { memo, type ComponentType } from 'react'
import { Box } from 'ink'
import { ours, safeText, type SafeText } from '../../domain/safe-text.ts'
import { Frame, type Section } from '../../../components/Frame.tsx'
import { useConsole } from '../context.ts'
import { layoutOf } from '../layout.ts'
import { subjectOf } from '../log-feed.ts'
import { type ConsoleState, type Pane, panes } from '../state.ts'
import { AgentsPane } from './AgentsPane.tsx'
import { BoardPane, type PaneProps } from './BoardPane.tsx'
import { LogPane } from './LogPane.tsx'
import { WorktreesPane } from './WorktreesPane.tsx'

const bodies: Record<Pane, ComponentType<PaneProps>> = { board: BoardPane, agents: AgentsPane, log: LogPane, worktrees: WorktreesPane }

const titles: Record<Pane, SafeText> = { board: ours('1 Board'), agents: ours('2 Agents'), log: ours('3 Log'), worktrees: ours('4 Worktrees') }

/** The panes that have room, in the frames of the layout. `taken` lines belong to what lies over them. */
export const Panes = memo(({ columns, rows, taken }: { readonly columns: number; readonly rows: number; readonly taken: number }) => {
  const pane = useConsole((state) => state.view.pane)
  const logTitle = useConsole(logTitleOf)
  const logNote = useConsole((state) => (state.view.follow ? 'following' : state.view.back > 0 ? `${state.view.back} back` : 'held'))
  const filter = useConsole((state) => state.view.filter)
  const { kind, rooms } = layoutOf(columns, rows, pane, taken)
  const notes: Partial<Record<Pane, SafeText>> = { log: ours(logNote), ...(filter === '' ? {} : { board: safeText(`/${filter}`) }) }
  const sections = panes.flatMap((each): Section[] => {
    const room = rooms[each]
    if (!room) return []
    const Body = bodies[each]
    return [
      {
        key: each,
        title: each === 'log' ? logTitle : titles[each],
        ...(notes[each] === undefined ? {} : { note: notes[each] }),
        focused: each === pane,
        height: room.height,
        body: <Body {...room} focused={each === pane} />,
      },
    ]
  })
  if (sections.length === 0) return <Box />
  if (kind !== 'wide') return <Frame sections={sections} width={columns} />
  const left = (rooms.board?.width ?? 0) + 2
  return (
    <Box>
      <Frame sections={sections.slice(0, 2)} width={left} />
      <Frame sections={sections.slice(2)} width={columns - left} />
    </Box>
  )
})
Panes.displayName = 'Panes'

const nobody = { taskId: null, agentId: null }

const logTitleOf = (state: ConsoleState): SafeText => {
  const { taskId, agentId } = subjectOf(state, nobody)
  return ours(`3 Log  ${safeText([taskId === null ? '' : `task ${taskId}`, agentId ?? ''].join(' '))}`)
}
