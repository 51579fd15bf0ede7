import { Box } from 'ink'
import { type ComponentType, memo } from 'react'
import { AgentTable } from '../../../components/AgentTable.tsx'
import { Board } from '../../../components/Board.tsx'
import { Columns } from '../../../components/Columns.tsx'
import { Frame, type Section } from '../../../components/Frame.tsx'
import { Log } from '../../../components/Log.tsx'
import { Tree } from '../../../components/Tree.tsx'
import { Worktrees } from '../../../components/Worktrees.tsx'
import { ours, safeText, type SafeText } from '../../domain/words/safe-text.ts'
import { ENDED_AGENTS } from '../../operations/screens/board.ts'
import { commonText } from '../../text/common.ts'
import { paneText } from '../../text/panes.ts'
import { foldedAgents } from '../core/folded-agents.ts'
import { type Rooms, roomsShown, topFor } from '../core/layout.ts'
import { boardWidths, hostsIn, namesIn } from '../core/pane-needs.ts'
import { type ConsoleState, type Pane, panes } from '../core/state.ts'
import { shownKey } from '../keys/bindings.ts'
import { agentRow, agentTime } from '../rows/agents.ts'
import { silentAfterIn } from '../rows/hosts.ts'
import { agentSpinner, worktreeSpinner } from '../rows/progress.ts'
import { boardRow, rowReason } from '../rows/tasks.ts'
import { mergesNow, radarMark, reasonOfWorktree, worktreeRow, worktreeTime } from '../rows/worktrees.ts'
import { markedAgents } from './agents.ts'
import { arrangementNote } from './arrangement.ts'
import { boardNote, columnRows, guideOf, treeRows } from './board.ts'
import { useConsole, useRows } from './context.ts'
import { indexIn, rangeNote, rowAtTop, rowsIn, saysReason, topIndex } from './list.ts'
import { logSubject } from './log.ts'
import { resized } from './movement.ts'
import { shownAgents, shownTasks, shownWorktrees, sortNote } from './sorting.ts'

interface PanesProps {
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

const logTitleOf = (state: ConsoleState): SafeText => ours(paneText.logOf(logSubject(state)))

/** With room for one pane, the keys of the others. */
const otherPanes = (state: ConsoleState, rooms: Rooms): string =>
  Object.keys(rooms).length > 1
    ? ''
    : panes
        .filter((pane) => rooms[pane] === undefined)
        .map((pane) => `${shownKey(state, pane)} ${paneText.names[pane]}`)
        .join('  ')

const titles: Record<Pane, string> = paneText.titles

interface PaneProps {
  readonly width: number
  readonly height: number
  readonly focused: boolean
}

/** The board in the selected shape. */
const ShapedBoardPane = memo((props: PaneProps) => {
  const as = useConsole((state) => state.view.shape.as)
  if (as === 'columns') return <ColumnsPane {...props} />
  return as === 'tree' ? <TreePane {...props} /> : <BoardPane {...props} />
})

ShapedBoardPane.displayName = 'ShapedBoardPane'

const BoardPane = memo(({ width, height, focused }: PaneProps) => {
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

const AgentsPane = memo(({ width, height }: PaneProps) => {
  const rows = useRows((state) => {
    const { board, view, now, processes } = state
    const marked = markedAgents(state)
    const fit = rowsIn(state, 'agents', width, height)
    const shown = shownAgents(state)
    const top = rowAtTop(state, 'agents', fit)
    return shown.slice(top, top + fit).map((agent) => ({
      ...agentRow(agent, now, processes[agent.id], board.requests, agent.id === view.agent, silentAfterIn(state)),
      marked: marked.includes(agent.id),
      time: agentTime(state, agent),
      spinner: agentSpinner(state, agent.id),
    }))
  })
  const empty = useConsole((state) =>
    state.preferences.agentless ? paneText.agentless : paneText.noAgents(shownKey(state, 'spawn')),
  )
  const names = useConsole((state) => namesIn(state.board.agents))
  const hosts = useConsole((state) => hostsIn(state.board.agents))
  const ended = useConsole((state) => {
    const { folded } = foldedAgents(state)
    return ours(folded === 0 ? '' : paneText.ended(folded, ENDED_AGENTS, shownKey(state, 'unfold-ended')))
  })
  return <AgentTable rows={rows} names={names} hosts={hosts} width={width} empty={ours(empty)} ended={ended} />
})

AgentsPane.displayName = 'AgentsPane'

const LogPane = memo(({ height }: PaneProps) => {
  const log = useConsole((state) => state.log)
  const back = useConsole((state) => state.view.back)
  const end = Math.max(Math.min(height, log.length), log.length - back)
  return <Log lines={log.slice(Math.max(0, end - height), end)} empty={ours(paneText.noLog)} />
})

LogPane.displayName = 'LogPane'

const WorktreesPane = memo(({ width, height, focused }: PaneProps) => {
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

const bodies: Record<Pane, ComponentType<PaneProps>> = {
  board: ShapedBoardPane,
  agents: AgentsPane,
  log: LogPane,
  worktrees: WorktreesPane,
}
