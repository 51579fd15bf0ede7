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

interface Shown {
  readonly columns: readonly Column<string>[]
  readonly rows: readonly Readonly<Record<string, SafeText>>[]
}

// ink-table keeps the cell component it was first given, so what changes with the window travels beside it.
const InTable = createContext<Shown>({ columns: [], rows: [] })

/**
 * The only wrapper round ink-table: one line a row, each cell as wide as its column on the terminal. For ink-table a row
 * is one cell, which holds its number: Ink goes through every text at every frame, and fifty agents have five hundred cells.
 */
export const Table = <Key extends string>({ columns, rows }: TableProps<Key>) => {
  const shown = { columns: columns.filter((column) => column.width > 0), rows }
  return (
    <InTable value={shown}>
      <InkTable data={rows.map((_, index) => ({ row: String(index) }))} columns={['row']} padding={1} header={Heading} cell={Row} skeleton={Nothing} />
    </InTable>
  )
}

interface RowProps {
  /** ink-table hands over the text of the cell, padded. */
  readonly children?: ReactNode
}

const Row = ({ children }: RowProps) => {
  const { columns, rows } = useContext(InTable)
  const row = rows[Number(children)]
  return (
    <Paint>
      {columns.map(({ key, width, align, look }) => {
        const text = row?.[key] ?? ''
        const { colour, dim } = look?.(text) ?? {}
        return <Paint key={key} colour={colour} dim={dim}>{`${fit(text, width, align)} `}</Paint>
      })}
    </Paint>
  )
}

const Heading = () => {
  const { columns } = useContext(InTable)
  return <Paint dim>{columns.map(({ key, width, align }) => `${fit(key, width, align)} `).join('')}</Paint>
}

const Nothing = () => null
