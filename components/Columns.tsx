import { memo } from 'react'
import { Box } from 'ink'
import type { BoardColumn } from '../src/domain/columns.ts'
import { ours, type SafeText } from '../src/domain/safe-text.ts'
import { cut, fit, widthOf } from './fit.ts'
import { type BoardState, boardLooks, columnLooks } from './look.ts'
import { Paint } from './Paint.tsx'
import { heardRows } from '../src/text/rows.ts'

/** Only plain values: an unchanged card is not drawn again. */
export interface Card {
  readonly id: number
  readonly state: BoardState
  readonly title: SafeText
  /** How long it has been in its state. */
  readonly time?: SafeText
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
  /** Lines that the cards take, however many there are. */
  readonly height?: number
  /** Why the selected one is in its state; below the cards. */
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
            <Heading column={column} count={count} current={current} before={before && index === 0} after={after && isLast(index)} width={each - 1} />
            {cards.length === 0 ? <Paint dim>{'  –'}</Paint> : cards.map((card) => <CardRow key={card.id} {...card} width={each - 1} focused={focused} />)}
          </Box>
        ))}
      </Box>
      {reason === '' ? null : <Paint dim>{`  ${cut(reason, width - 2)}`}</Paint>}
    </Box>
  )
}

const Heading = ({ column, count, current, before, after, width }: Pick<ColumnOfCards, 'column' | 'count' | 'current'> & { before: boolean; after: boolean; width: number }) => {
  const { word, mark, colour } = columnLooks[column]
  const text = `${before ? '‹' : ' '} ${mark} ${word}${count === null ? '' : ` ${count}`}`
  return <Paint bold={current} dim={!current} colour={current ? colour : undefined}>{`${fit(text, width - 1)}${after ? '›' : ' '}`}</Paint>
}

/** Columns of the terminal below which the title has all of a card. */
const ROOMY = 24

const CardRow = memo(({ id, state, title, time = ours(''), asks, selected, width, focused }: Card & { width: number; focused: boolean }) => {
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
})
CardRow.displayName = 'CardRow'
