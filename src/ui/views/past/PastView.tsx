import { Box } from 'ink'
import { ours, type SafeText, safeText } from '../../../domain/words/safe-text.ts'
import { duration, elapsed, type Instant } from '../../../domain/words/time.ts'
import { AgentTable } from '../../../../components/AgentTable.tsx'
import { Board } from '../../../../components/Board.tsx'
import { Frame, type Section } from '../../../../components/Frame.tsx'
import { Timeline } from '../../../../components/Timeline.tsx'
import { Worktrees } from '../../../../components/Worktrees.tsx'
import { headIn } from '../../panes/list.ts'
import { moment } from '../../rows/lines.ts'
import type { ConsoleState } from '../../core/state.ts'
import { momentOf, type PastOverlay, pastRooms, placeIn, tasksOf, worktreesOf } from './past.ts'
import { agentsOf, eventWords, pastAgentRow, pastBoardRow, pastWorktreeRow } from './rows.ts'
import { commonText } from '../../../text/common.ts'
import { rangeText } from '../../../text/panes.ts'
import { pastText } from '../../../text/history.ts'

/** A past moment, drawn by the components for the present. */
export const PastView = ({
  state,
  overlay,
  columns,
  taken,
}: {
  state: ConsoleState
  overlay: PastOverlay
  columns: number
  taken: number
}) => {
  const { events } = state.past
  const at = placeIn(state, overlay)
  const past = momentOf(events, at)
  const event = events[at - 1]
  const now = event?.at ?? events[0]?.at ?? state.now
  const rooms = pastRooms(state, taken, overlay.pane)
  const small = Object.keys(rooms).length === 1
  const all = sectionsOf({ state, overlay, past, now, rooms, small, width: columns - 2 })
  // Where there is no room for all of them, one at a time.
  const sections = small ? all.filter(({ key }) => key === overlay.pane) : all
  const after = events[0] && event ? `+${duration(elapsed(events[0].at, event.at))}` : ''
  return (
    <Box flexDirection="column">
      <Timeline
        at={at}
        of={events.length}
        event={eventWords(event, state.past)}
        after={ours(after)}
        playing={overlay.playing}
        width={columns}
      />
      <Frame sections={sections} width={columns} />
    </Box>
  )
}

interface SectionsOf {
  readonly state: ConsoleState
  readonly overlay: PastOverlay
  readonly past: ReturnType<typeof momentOf>
  readonly now: Instant
  readonly rooms: ReturnType<typeof pastRooms>
  readonly small: boolean
  readonly width: number
}

const sectionsOf = (shown: SectionsOf): readonly Section[] => [
  boardSection(shown),
  agentsSection(shown),
  worktreesSection(shown),
]

const boardSection = ({ state, overlay, past, now, rooms, width }: SectionsOf): Section => {
  const { whole, reading } = state.past
  const ids = tasksOf(past)
  const height = rooms.board ?? 0
  const top = Math.max(0, Math.min(overlay.row, ids.length - 1))
  const rows = ids.slice(top, top + Math.max(1, height - 1)).map((id) => pastBoardRow(id, past, state.past, now))
  return {
    key: 'board',
    title: ours(
      pastText.title(
        moment(state, now),
        past.session === null ? '' : `${safeText(past.session.id)} ${safeText(past.session.status)}`,
      ),
    ),
    note: ours(pastText.tasks(ids.length, whole || reading)),
    focused: overlay.pane === 'board',
    height,
    body: (
      <Board rows={rows} width={width} focused={false} empty={ours(reading ? commonText.reading : pastText.noTask)} />
    ),
  }
}

const agentsSection = (shown: SectionsOf): Section => {
  const { state, overlay, past, now, rooms, width } = shown
  const height = rooms.agents ?? 0
  const focused = overlay.pane === 'agents'
  const people = focused ? scrolled([...past.agents], overlay.below, height - 1) : agentsOf(past, height - 1)
  const rows = people.map(([id, agent]) => pastAgentRow(id, agent, kindOf(state, id), now, asks(past, id)))
  return {
    key: 'agents',
    title: titleOf(shown, pastText.agents),
    note: focused
      ? cutNote([...past.agents.keys()].indexOf(people[0]?.[0] ?? ''), people.length, past.agents.size)
      : ours(people.length < past.agents.size ? pastText.some(people.length, past.agents.size) : ''),
    focused,
    height,
    body: <AgentTable rows={rows} width={width} empty={ours(pastText.noAgent)} />,
  }
}

const worktreesSection = (shown: SectionsOf): Section => {
  const { overlay, past, now, rooms, width } = shown
  const height = rooms.worktrees ?? 0
  const focused = overlay.pane === 'worktrees'
  const all = worktreesOf(past)
  const fits = Math.max(1, height - headIn(height))
  const trees = focused ? scrolled(all, overlay.below, fits) : all.slice(-fits)
  const rows = trees.map(([name, one]) => pastWorktreeRow(name, one, now))
  return {
    key: 'worktrees',
    title: titleOf(shown, pastText.worktrees),
    note: cutNote(all.indexOf(trees[0]!), trees.length, all.length),
    focused,
    height,
    body: (
      <Worktrees
        rows={rows}
        width={width}
        focused={false}
        headed={headIn(height) > 0}
        empty={ours(pastText.noWorktree)}
      />
    ),
  }
}

/** Which rows are visible, if not all are. */
const cutNote = (first: number, rows: number, of: number): SafeText =>
  ours(rows < of ? rangeText(first + 1, first + rows, of) : '')

/** The name of a section, with the moment if no other section is shown. */
const titleOf = ({ state, now, small }: SectionsOf, name: string) =>
  ours(small ? pastText.title(moment(state, now), name) : name)

const kindOf = ({ board }: ConsoleState, agentId: string) => board.agents.find(({ id }) => id === agentId)?.kind ?? null

const asks = (past: ReturnType<typeof momentOf>, agentId: string): boolean =>
  [...past.requests.values()].some((request) => request.agent === agentId)

/** The rows from so many on, at a moment with fewer of them the last. */
const scrolled = <Row,>(rows: readonly Row[], below: number, height: number): readonly Row[] => {
  const from = Math.max(0, Math.min(below, rows.length - 1))
  return rows.slice(from, from + height)
}
