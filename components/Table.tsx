import { createContext, type ReactNode, useContext } from 'react'
import InkTable from 'ink-table'
import type { SafeText } from '../src/domain/words/safe-text.ts'
import { fit } from './base/fit.ts'
import type { Look } from './base/look.ts'
import { Paint } from './base/Paint.tsx'

/** A column and the look of its cells. A width of 0 omits the column. */
export interface Column<Key extends string> {
  readonly key: Key
  readonly width: number
  readonly align?: 'left' | 'right'
  readonly look?: (cell: string) => Pick<Look, 'colour' | 'dim'> | undefined
}

export interface TableProps<Key extends string> {
  readonly columns: readonly Column<Key>[]
  /** Only visible rows. */
  readonly rows: readonly Readonly<Record<Key, SafeText>>[]
  /** For each row whether all of it is dim. */
  readonly dimmed?: readonly boolean[]
}

interface Shown {
  readonly columns: readonly Column<string>[]
  readonly rows: readonly Readonly<Record<string, SafeText>>[]
  readonly dimmed: readonly boolean[]
}

// ink-table keeps the first cell component, so the changing values are passed in a context.
const InTable = createContext<Shown>({ columns: [], rows: [], dimmed: [] })

/**
 * The only wrapper around ink-table: one line per row, each cell as wide as its column on the terminal. For ink-table a
 * row is one cell, which contains its number, because Ink visits every text in every frame, and fifty agents have five
 * hundred cells.
 */
export const Table = <Key extends string>({ columns, rows, dimmed = [] }: TableProps<Key>) => {
  const shown = { columns: columns.filter((column) => column.width > 0), rows, dimmed }
  return (
    <InTable value={shown}>
      <InkTable
        data={rows.map((_, index) => ({ row: String(index) }))}
        columns={['row']}
        padding={1}
        header={Heading}
        cell={Row}
        skeleton={Nothing}
      />
    </InTable>
  )
}

interface RowProps {
  /** ink-table passes the text of the cell, padded. */
  readonly children?: ReactNode
}

const Row = ({ children }: RowProps) => {
  const { columns, rows, dimmed } = useContext(InTable)
  const row = rows[Number(children)]
  return (
    <Paint>
      {columns.map(({ key, width, align, look }) => {
        const text = row?.[key] ?? ''
        const { colour, dim } =
          dimmed[Number(children)] === true ? { colour: undefined, dim: true } : (look?.(text) ?? {})
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
