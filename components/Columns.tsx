import { memo } from 'react'
import { Box } from 'ink'
import type { BoardColumn } from '../src/domain/task/task.ts'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { cut, fit, widthOf } from './base/fit.ts'
import { type BoardState, boardLooks, columnLooks } from './base/look.ts'
import { Paint } from './base/Paint.tsx'
import { heardRows } from '../src/text/screen-reader.ts'

/** Only plain values, so that an unchanged card is not drawn again. */
export interface Card {
  readonly id: number
  readonly state: BoardState
  readonly title: SafeText
  /** The time since its state began. */
  readonly time?: SafeText
  /** True if something about it waits for a person. */
  readonly asks: boolean
  readonly selected: boolean
}

export interface ColumnOfCards {
  readonly column: BoardColumn
  /** The number of its tasks; null if unknown. */
  readonly count: number | null
  /** Only visible cards. */
  readonly cards: readonly Card[]
  /** True if it contains the selection. */
  readonly current: boolean
}

export interface ColumnsProps {
  readonly columns: readonly ColumnOfCards[]
  /** True if there are columns beyond the edges. */
  readonly before: boolean
  readonly after: boolean
  /** The number of lines for the cards, however many there are. */
  readonly height?: number
  /** The reason for the selected card's state, below the cards. */
  readonly reason?: SafeText
  readonly width: number
  readonly focused: boolean
}

/** The board as columns by state, side by side. */
export const Columns = ({ columns, before, after, height, reason = ours(''), width, focused }: ColumnsProps) => {
  const each = Math.floor(width / Math.max(1, columns.length))
  const isLast = (index: number): boolean => index === columns.length - 1
  return (
    <Box flexDirection="column">
      <Box height={height === undefined ? undefined : height + 1}>
        {columns.map(({ column, count, cards, current }, index) => (
          <Box key={column} flexDirection="column" width={isLast(index) ? width - each * index : each} aria-role="list">
            <Heading
              column={column}
              count={count}
              current={current}
              before={before && index === 0}
              after={after && isLast(index)}
              width={each - 1}
            />
            {cards.length === 0 ? (
              <Paint dim>{'  –'}</Paint>
            ) : (
              cards.map((card) => <CardRow key={card.id} {...card} width={each - 1} focused={focused} />)
            )}
          </Box>
        ))}
      </Box>
      {reason === '' ? null : <Paint dim>{`  ${cut(reason, width - 2)}`}</Paint>}
    </Box>
  )
}

const Heading = ({
  column,
  count,
  current,
  before,
  after,
  width,
}: Pick<ColumnOfCards, 'column' | 'count' | 'current'> & { before: boolean; after: boolean; width: number }) => {
  const { word, mark, colour } = columnLooks[column]
  const text = `${before ? '‹' : ' '} ${mark} ${word}${count === null ? '' : ` ${count}`}`
  return (
    <Paint
      bold={current}
      dim={!current}
      colour={current ? colour : undefined}
    >{`${fit(text, width - 1)}${after ? '›' : ' '}`}</Paint>
  )
}

/** In a column narrower than this, the title takes the whole card. */
const ROOMY = 24

const CardRow = memo(
  ({
    id,
    state,
    title,
    time = ours(''),
    asks,
    selected,
    width,
    focused,
  }: Card & { width: number; focused: boolean }) => {
    const { mark, word, colour, dim } = boardLooks[state]
    const room = time === '' || width < ROOMY ? 0 : widthOf(time) + 1
    return (
      <Paint bold={selected} label={heardRows.card({ id, word, time, title, asks, selected })}>
        {selected ? <Paint colour={focused ? 'cyan' : undefined}>▸</Paint> : ' '}
        {asks ? <Paint colour="magenta">⚑</Paint> : ' '}
        <Paint colour={colour} dim={dim === true && !selected}>{`${mark} `}</Paint>
        {fit(`${id} ${title}`, width - 4 - room)}
        {room > 0 ? <Paint dim>{` ${time}`}</Paint> : ''}
      </Paint>
    )
  },
)
CardRow.displayName = 'CardRow'
