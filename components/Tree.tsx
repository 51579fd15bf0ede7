import { memo } from 'react'
import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { fit, roomForReason, widthOf } from './base/fit.ts'
import { type BoardState, boardLooks } from './base/look.ts'
import { Paint } from './base/Paint.tsx'
import { headings } from '../src/text/panes.ts'
import { heardRows } from '../src/text/screen-reader.ts'

/** Only plain values, so that an unchanged row is not drawn again. */
export interface TreeRow {
  readonly id: number
  readonly state: BoardState
  readonly says: SafeText
  readonly title: SafeText
  /** Columns of indentation, relative to its parent. */
  readonly level: number
  /** Set if its depth is outside of the visible range. */
  readonly beyond: 'left' | 'right' | null
  /** Its dependencies other than its parent in the tree: `also 3, 5`. */
  readonly also: SafeText
  /** The reason for its state, shown after the title if there is room. */
  readonly reason?: SafeText
  /** True if it is on the longest chain of remaining work. */
  readonly critical: boolean
  readonly asks: boolean
  /** False if a filter does not match it: it is only shown as an ancestor, with a dot. */
  readonly matches: boolean
  readonly selected: boolean
}

export interface TreeProps {
  readonly rows: readonly TreeRow[]
  readonly width: number
  readonly focused: boolean
  readonly empty: SafeText
}

/** The dependencies: a task is below the one that it needs. */
export const Tree = ({ rows, width, focused, empty }: TreeProps) => (
  <Box flexDirection="column" aria-role="list">
    <Paint dim hidden>
      {fit(`    ${headings.tree}`, width)}
    </Paint>
    {rows.length === 0 ? (
      <Paint dim>{`  ${empty}`}</Paint>
    ) : (
      rows.map((row) => <Row key={row.id} {...row} width={width} focused={focused} />)
    )}
  </Box>
)

const Row = memo(
  ({
    id,
    state,
    says,
    title,
    level,
    beyond,
    also,
    reason = ours(''),
    critical,
    asks,
    matches,
    selected,
    width,
    focused,
  }: TreeRow & { width: number; focused: boolean }) => {
    const { mark, colour, dim } = boardLooks[state]
    const stem =
      level === 0 && beyond === null
        ? ''
        : `${'  '.repeat(Math.max(0, level - 1))}${beyond === 'left' ? '‹ ' : beyond === 'right' ? '›─' : '└─'}`
    const head = `${stem}${id} `
    const status = `${mark} ${says}`
    const note = also === '' ? ours('') : ours(`  ${also}`)
    const room = Math.max(1, width - 4 - widthOf(head) - widthOf(status) - 2 - widthOf(note))
    const more = roomForReason(reason, room - widthOf(title) - 2)
    const name = more > 0 ? title : fit(title, room)
    const words = heardRows.branch({ level, id, says, title, also, reason, critical, asks, matches, selected })
    return (
      <Paint bold={selected} dim={!matches && !selected} label={words}>
        {selected ? <Paint colour={focused ? 'cyan' : undefined}>▸</Paint> : ' '}
        {asks ? <Paint colour="magenta">⚑</Paint> : matches ? ' ' : '·'}
        {critical ? <Paint colour="yellow">{'◆ '}</Paint> : '  '}
        <Paint dim={!selected}>{head}</Paint>
        <Paint colour={colour} dim={dim === true && !selected}>
          {status}
        </Paint>
        {critical ? <Paint colour="yellow">{`  ${name}`}</Paint> : `  ${name}`}
        <Paint dim>{`${more > 0 ? `  ${fit(reason, more)}` : ''}${note}`}</Paint>
      </Paint>
    )
  },
)
Row.displayName = 'TreeRow'
