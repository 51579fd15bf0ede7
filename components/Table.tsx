import { createContext, type ReactNode, useContext } from 'react'
import InkTable from 'ink-table'
import type { SafeText } from '../src/domain/safe-text.ts'
import { fit } from './fit.ts'
import type { Look } from './look.ts'
import { Paint } from './Paint.tsx'

/** A column and how its cells look. A width of 0 leaves the column out. */
export interface Column<Key extends string> {
  readonly key: Key
  readonly width: number
  readonly align?: 'left' | 'right'
  readonly look?: (cell: string) => Pick<Look, 'colour' | 'dim'> | undefined
}

export interface TableProps<Key extends string> {
  readonly columns: readonly Column<Key>[]
  /** Only the rows that are visible. */
  readonly rows: readonly Readonly<Record<Key, SafeText>>[]
}

// ink-table keeps the cell component it was first given, so what changes with the window travels beside it.
const Columns = createContext<readonly Column<string>[]>([])

/** The only wrapper round ink-table: one line a row, each cell as wide as its column on the terminal. */
export const Table = <Key extends string>({ columns, rows }: TableProps<Key>) => {
  const shown = columns.filter((column) => column.width > 0)
  return (
    <Columns value={shown}>
      <InkTable data={[...rows] as Record<string, string>[]} columns={shown.map((column) => column.key)} padding={1} header={Heading} cell={Cell} skeleton={Nothing} />
    </Columns>
  )
}

interface CellProps {
  readonly column?: number
  /** ink-table hands over the text of the cell, padded. */
  readonly children?: ReactNode
}

const Cell = ({ column: at = 0, children }: CellProps) => {
  const column = useContext(Columns)[at]
  if (!column) return <Nothing />
  // ink-table pads by the number of code units; the text without its padding is fitted anew.
  const text = textOf(children)
  const look = column.look?.(text)
  return <Paint colour={look?.colour} dim={look?.dim}>{`${fit(text, column.width, column.align)} `}</Paint>
}

const Heading = ({ column: at = 0, children }: CellProps) => {
  const column = useContext(Columns)[at]
  return column ? <Paint dim>{`${fit(textOf(children), column.width, column.align)} `}</Paint> : <Nothing />
}

const textOf = (children: ReactNode): string => (typeof children === 'string' ? children.slice(1).trimEnd() : '')

const Nothing = () => null
