import { memo } from 'react'
import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { cut, fit, fold, roomForReason, tail, widthOf } from './base/fit.ts'
import { type BoardState, boardLooks } from './base/look.ts'
import { Paint } from './base/Paint.tsx'
import { headings } from '../src/text/panes.ts'
import { heardRows } from '../src/text/screen-reader.ts'
import { withoutAgent } from '../src/text/states.ts'

/** Only plain values, so that an unchanged row is not drawn again. */
export interface BoardRow {
  readonly id: number
  readonly priority: number
  readonly state: BoardState
  /** More than the state's word, such as `blocked by 3`. */
  readonly says: SafeText
  /** The progress that its agent has reported, drawn as a bar in place of the state's word. */
  readonly percent?: number | null
  readonly time: SafeText
  readonly agent: SafeText
  readonly title: SafeText
  /** The reason for its state, shown after the title if there is room. */
  readonly reason?: SafeText
  /** True if something about it waits for a person. */
  readonly asks: boolean
  /** Replaces the mark of work in progress while its process shows signs of work. */
  readonly spinner?: SafeText | undefined
  readonly selected: boolean
}

export interface BoardProps {
  readonly rows: readonly BoardRow[]
  readonly width: number
  readonly focused: boolean
  /** Shown if there are no rows. */
  readonly empty: SafeText
  /** Shown below that, for a new user. */
  readonly guide?: readonly SafeText[]
  /** The widths of the longest agent's name and title, also of those that are not visible. */
  readonly widths?: Widths
  /** The reason of the selected row, at the end of so many remaining lines; undefined if the rows have room for it. */
  readonly reason?: SafeText
  readonly lines?: number
}

interface Widths {
  readonly agent: number
  readonly title: number
}

const unknown: Widths = { agent: 14, title: 0 }

export const Board = ({ rows, width, focused, empty, guide = [], widths = unknown, reason, lines = 1 }: BoardProps) => {
  const columns = columnsFor(width, widths)
  const heading = `  ${fit(headings.id, columns.idColumns, 'right')} ${columns.priorityColumns ? `${fit(headings.priority, columns.priorityColumns, 'right')}  ` : ' '}${fit(headings.state, columns.stateColumns)} ${fit(headings.time, columns.timeColumns, 'right')}  ${columns.agentColumns ? `${fit(headings.agent, columns.agentColumns)}  ` : ''}${fit(headings.title, columns.titleColumns)}`
  return (
    <Box flexDirection="column" aria-role="list">
      <Paint dim hidden>
        {heading}
      </Paint>
      {rows.length === 0 ? (
        <Nothing empty={empty} guide={guide} />
      ) : (
        rows.map((row) => <Row key={row.id} {...row} {...columns} focused={focused} />)
      )}
      {reason === undefined ? null : <Below reason={reason} lines={lines} width={width} />}
    </Box>
  )
}

/** The reason of the selected row at the bottom, where it stays while the selection moves. */
const Below = ({ reason, lines, width }: { reason: SafeText; lines: number; width: number }) => {
  const folded = fold(reason, width - 4).slice(0, lines)
  return (
    <Box flexDirection="column" height={lines} justifyContent="flex-end">
      {reason === ''
        ? null
        : folded.map((line, at) => <Paint key={at} dim hidden>{`${at === 0 ? '  └ ' : '    '}${line}`}</Paint>)}
    </Box>
  )
}

const Nothing = ({ empty, guide }: { readonly empty: SafeText; readonly guide: readonly SafeText[] }) => (
  <Box flexDirection="column">
    <Paint dim>{`  ${empty}`}</Paint>
    {guide.map((line) => (
      <Paint key={line}>{`  ${line}`}</Paint>
    ))}
  </Box>
)

const Row = memo(
  ({
    id,
    priority,
    state,
    says,
    percent = null,
    time,
    agent,
    title,
    reason = ours(''),
    asks,
    spinner,
    selected,
    focused,
    idColumns,
    priorityColumns,
    stateColumns,
    timeColumns,
    agentColumns,
    titleColumns,
  }: BoardRow & Columns & { focused: boolean }) => {
    const look = boardLooks[state]
    const why = agentColumns ? ours(withoutAgent(reason, agent)) : reason
    const more = roomForReason(why, titleColumns - widthOf(title) - 2)
    // A long state, such as 'blocked by 3, 4', extends into the column of the time.
    const shown = percent === null ? says : barOf(percent)
    const status =
      time === '' || widthOf(shown) > stateColumns - 2
        ? fit(shown, stateColumns - 2 + 1 + timeColumns)
        : `${fit(shown, stateColumns - 2)} ${fit(time, timeColumns, 'right')}`
    // A truncated agent name keeps its end, which distinguishes agents. The row has few text nodes, because Ink visits
    // each of them in every frame.
    return (
      <Paint bold={selected} label={heardRows.task({ id, says, time, agent, title, reason: why, asks, selected })}>
        {selected ? <Paint colour={focused ? 'cyan' : undefined}>▸</Paint> : ' '}
        {asks ? <Paint colour="magenta">⚑</Paint> : ' '}
        {`${fit(String(id), idColumns, 'right')} ${priorityColumns ? `${fit(String(priority), priorityColumns, 'right')}  ` : ' '}`}
        <Paint
          colour={look.colour}
          dim={look.dim === true && !selected}
        >{`${state === 'in_progress' ? (spinner ?? look.mark) : look.mark} ${status}`}</Paint>
        {`  ${agentColumns ? `${fit(tail(agent, agentColumns), agentColumns)}  ` : ''}${more > 0 ? title : fit(title, titleColumns)}`}
        {more > 0 ? <Paint dim>{`  ${cut(why, more)}`}</Paint> : ''}
      </Paint>
    )
  },
)
Row.displayName = 'BoardRow'

/** `███░░░ 45%`: a cell that is begun is not full. */
const barOf = (percent: number): string => {
  const full = Math.floor((Math.max(0, Math.min(100, percent)) / 100) * BAR)
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${percent}%`
}

const BAR = 6

/** Plain values, so that a row is drawn again only if they change. */
interface Columns {
  readonly idColumns: number
  readonly priorityColumns: number
  readonly stateColumns: number
  readonly timeColumns: number
  readonly agentColumns: number
  readonly titleColumns: number
}

const columnsFor = (width: number, { agent, title }: Widths): Columns => {
  const columns = (priority: number): Columns => {
    // A longer state extends into the column of the time.
    const isTight = width < 50
    const fixed = {
      idColumns: isTight ? 3 : 4,
      priorityColumns: priority,
      stateColumns: isTight ? 9 : 13,
      timeColumns: isTight ? 5 : 6,
      agentColumns: width >= 74 ? agent : width >= 62 ? Math.min(10, agent) : 0,
    }
    const used =
      2 +
      fixed.idColumns +
      1 +
      (fixed.priorityColumns ? fixed.priorityColumns + 2 : 1) +
      fixed.stateColumns +
      1 +
      fixed.timeColumns +
      2 +
      (fixed.agentColumns ? fixed.agentColumns + 2 : 0)
    return { ...fixed, titleColumns: Math.max(1, width - used) }
  }
  const all = columns(width >= 54 ? 4 : 0)
  // A whole title says more than its priority.
  const without = columns(0)
  return title > all.titleColumns && title <= without.titleColumns ? without : all
}
