import { memo } from 'react'
import { Box } from 'ink'
import type { BoardColumn } from '../src/domain/columns.ts'
import type { SafeText } from '../src/domain/safe-text.ts'
import { fit } from './fit.ts'
import { type BoardState, boardLooks, columnLooks } from './look.ts'
import { Paint } from './Paint.tsx'

/** Only plain values: an unchanged card is not drawn again. */
export interface Card {
  readonly id: number
  readonly state: BoardState
  readonly title: SafeText
  /** Something about it waits for a person. */
  readonly asks: boolean
  readonly selected: boolean
}

export interface ColumnOfCards {
  readonly column: BoardColumn
  /** How many tasks it has; null where that is not known. */
  readonly count: number | null
  /** Only those on the screen. */
  readonly cards: readonly Card[]
  /** One is in it. */
  readonly current: boolean
}

export interface ColumnsProps {
  readonly columns: readonly ColumnOfCards[]
  /** There are columns beyond the edges. */
  readonly before: boolean
  readonly after: boolean
  readonly width: number
  readonly focused: boolean
}

/** The board as columns by state, side by side. */
export const Columns = ({ columns, before, after, width, focused }: ColumnsProps) => {
  const each = Math.floor(width / Math.max(1, columns.length))
  const isLast = (index: number): boolean => index === columns.length - 1
  return (
    <Box>
      {columns.map(({ column, count, cards, current }, index) => (
        <Box key={column} flexDirection="column" width={isLast(index) ? width - each * index : each} aria-role="list">
          <Heading column={column} count={count} current={current} before={before && index === 0} after={after && isLast(index)} width={each - 1} />
          {cards.length === 0 ? <Paint dim>{'  –'}</Paint> : cards.map((card) => <CardRow key={card.id} {...card} width={each - 1} focused={focused} />)}
        </Box>
      ))}
    </Box>
  )
}

const Heading = ({ column, count, current, before, after, width }: Pick<ColumnOfCards, 'column' | 'count' | 'current'> & { before: boolean; after: boolean; width: number }) => {
  const { word, mark, colour } = columnLooks[column]
  const text = `${before ? '‹' : ' '} ${mark} ${word}${count === null ? '' : ` ${count}`}`
  return <Paint bold={current} dim={!current} colour={current ? colour : undefined}>{`${fit(text, width - 1)}${after ? '›' : ' '}`}</Paint>
}

const CardRow = memo(({ id, state, title, asks, selected, width, focused }: Card & { width: number; focused: boolean }) => {
  const { mark, word, colour, dim } = boardLooks[state]
  return (
    <Paint bold={selected} label={`${selected ? 'selected: ' : ''}task ${id}, ${word}, ${title}${asks ? ', waits for you' : ''}`}>
      {selected ? <Paint colour={focused ? 'cyan' : undefined}>▸</Paint> : ' '}
      {asks ? <Paint colour="magenta">⚑</Paint> : ' '}
      <Paint colour={colour} dim={dim === true && !selected}>{`${mark} `}</Paint>
      {fit(`${id} ${title}`, width - 4)}
    </Paint>
  )
})
CardRow.displayName = 'CardRow'
