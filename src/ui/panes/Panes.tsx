import { memo, type ComponentType } from 'react'
import { Box } from 'ink'
import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import { Frame, type Section } from '../../../components/Frame.tsx'
import { shownKey } from '../keys/bindings.ts'
import { arrangementNote } from './arrangement.ts'
import { useConsole, useRows } from './context.ts'
import { type Rooms, roomsShown } from '../core/layout.ts'
import { resized } from './movement.ts'
import { rangeNote } from './range.ts'
import { sortNote } from './sorting.ts'
import { type ConsoleState, type Pane, panes } from '../core/state.ts'
import { AgentsPane } from './agents/AgentsPane.tsx'
import { ShapedBoardPane } from './board/ShapedBoardPane.tsx'
import { boardNote } from './board/note.ts'
import type { PaneProps } from './board/BoardPane.tsx'
import { LogPane } from './log/LogPane.tsx'
import { logSubject } from './log/subject.ts'
import { WorktreesPane } from './worktrees/WorktreesPane.tsx'
import { paneText } from '../../text/panes.ts'

const bodies: Record<Pane, ComponentType<PaneProps>> = {
  board: ShapedBoardPane,
  agents: AgentsPane,
  log: LogPane,
  worktrees: WorktreesPane,
}

const titles: Record<Pane, string> = paneText.titles

export interface PanesProps {
  readonly columns: number
  readonly rows: number
  /** Additional lines of a long notice. */
  readonly noticed: number
}

/** The panes that have room, in the frames of the layout. */
export const Panes = memo(({ columns, rows, noticed }: PanesProps) => {
  const pane = useConsole((state) => state.view.pane)
  const logTitle = useConsole(logTitleOf)
  const logNote = useConsole((state) =>
    state.view.follow ? paneText.following : state.view.back > 0 ? paneText.heldBack(state.view.back) : paneText.held,
  )
  const boardWords = useConsole(boardNote)
  const missing = useConsole(arrangementNote)
  const rooms = useRows((state) => roomsShown(resized(columns, rows)(state), noticed))
  const lists = useRows((state) => ({
    board: [sortNote(state.view, 'board'), rangeNote(state, 'board', rooms.board)],
    agents: [sortNote(state.view, 'agents'), rangeNote(state, 'agents', rooms.agents)],
    worktrees: [sortNote(state.view, 'worktrees'), rangeNote(state, 'worktrees', rooms.worktrees)],
  }))
  const others = useConsole((state) => otherPanes(state, rooms))
  const notes: Record<Pane, readonly string[]> = { ...lists, log: [logNote], board: [...lists.board, boardWords] }
  const sections = panes.flatMap((each): Section[] => {
    const room = rooms[each]
    if (!room) return []
    const Body = bodies[each]
    return [
      {
        key: each,
        title: each === 'log' ? logTitle : ours(titles[each]),
        note: ours([...notes[each], each === pane ? missing || others : ''].filter((note) => note !== '').join('  ')),
        focused: each === pane,
        height: room.height,
        body: <Body width={room.width} height={room.height} focused={each === pane} />,
      },
    ]
  })
  if (sections.length === 0) return <Box />
  const edge = (section: Section): number => rooms[section.key as Pane]!.left
  return (
    <Box flexShrink={0}>
      {[...new Set(sections.map(edge))].map((left) => {
        const below = sections.filter((section) => edge(section) === left)
        return <Frame key={left} sections={below} width={rooms[below[0]!.key as Pane]!.width + 2} />
      })}
    </Box>
  )
})
Panes.displayName = 'Panes'

/** With room for one pane, the keys of the others. */
const otherPanes = (state: ConsoleState, rooms: Rooms): string =>
  Object.keys(rooms).length > 1
    ? ''
    : panes
        .filter((pane) => rooms[pane] === undefined)
        .map((pane) => `${shownKey(state, pane)} ${paneText.names[pane]}`)
        .join('  ')

const logTitleOf = (state: ConsoleState): SafeText => ours(paneText.logOf(logSubject(state)))
