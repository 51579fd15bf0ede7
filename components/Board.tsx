import { memo } from 'react'
import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { cut, fit, roomForReason, tail, widthOf } from './base/fit.ts'
import { type BoardState, boardLooks } from './base/look.ts'
import { Paint } from './base/Paint.tsx'
import { headings, heardRows, withoutAgent } from '../src/text/rows.ts'

/** Only plain values, so that an unchanged row is not drawn again. */
export interface BoardRow {
  readonly id: number
  readonly priority: number
  readonly state: BoardState
  /** More than the state's word, such as `blocked by 3`. */
  readonly says: SafeText
  readonly time: SafeText
  readonly agent: SafeText
  readonly title: SafeText
  /** The reason for its state, shown after the title if there is room. */
  readonly reason?: SafeText
  /** True if something about it waits for a person. */
  readonly asks: boolean
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
}

export const Board = ({ rows, width, focused, empty, guide = [] }: BoardProps) => {
  const columns = columnsFor(width)
  const heading = `  ${fit(headings.id, columns.id, 'right')} ${columns.priority ? `${fit(headings.priority, columns.priority, 'right')}  ` : ' '}${fit(headings.state, columns.state)} ${fit(headings.time, columns.time, 'right')}  ${columns.agent ? `${fit(headings.agent, columns.agent)}  ` : ''}${fit(headings.title, columns.title)}`
  return (
    <Box flexDirection="column" aria-role="list">
      <Paint dim hidden>
        {heading}
      </Paint>
      {rows.length === 0 ? (
        <Nothing empty={empty} guide={guide} />
      ) : (
        rows.map((row) => <Row key={row.id} {...row} width={width} focused={focused} />)
      )}
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
    time,
    agent,
    title,
    reason = ours(''),
    asks,
    selected,
    width,
    focused,
  }: BoardRow & { width: number; focused: boolean }) => {
    const columns = columnsFor(width)
    const look = boardLooks[state]
    const why = columns.agent ? ours(withoutAgent(reason, agent)) : reason
    const more = roomForReason(why, columns.title - widthOf(title) - 2)
    // A long state, such as 'blocked by 3, 4', extends into the column of the time.
    const status =
      time === '' || widthOf(says) > columns.state - 2
        ? fit(says, columns.state - 2 + 1 + columns.time)
        : `${fit(says, columns.state - 2)} ${fit(time, columns.time, 'right')}`
    // A truncated agent name keeps its end, which distinguishes agents. The row has few text nodes, because Ink visits
    // each of them in every frame.
    return (
      <Paint bold={selected} label={heardRows.task({ id, says, time, agent, title, reason: why, asks, selected })}>
        {selected ? <Paint colour={focused ? 'cyan' : undefined}>▸</Paint> : ' '}
        {asks ? <Paint colour="magenta">⚑</Paint> : ' '}
        {`${fit(String(id), columns.id, 'right')} ${columns.priority ? `${fit(String(priority), columns.priority, 'right')}  ` : ' '}`}
        <Paint colour={look.colour} dim={look.dim === true && !selected}>{`${look.mark} ${status}`}</Paint>
        {`  ${columns.agent ? `${fit(tail(agent, columns.agent), columns.agent)}  ` : ''}${more > 0 ? title : fit(title, columns.title)}`}
        {more > 0 ? <Paint dim>{`  ${cut(why, more)}`}</Paint> : ''}
      </Paint>
    )
  },
)
Row.displayName = 'BoardRow'

interface Columns {
  readonly id: number
  readonly priority: number
  readonly state: number
  readonly time: number
  readonly agent: number
  readonly title: number
}

const columnsFor = (width: number): Columns => {
  const fixed = {
    id: 4,
    priority: width >= 54 ? 4 : 0,
    state: 13,
    time: 6,
    agent: width >= 74 ? 14 : width >= 62 ? 10 : 0,
  }
  const used =
    2 +
    fixed.id +
    1 +
    (fixed.priority ? fixed.priority + 2 : 1) +
    fixed.state +
    1 +
    fixed.time +
    2 +
    (fixed.agent ? fixed.agent + 2 : 0)
  return { ...fixed, title: Math.max(1, width - used) }
}
