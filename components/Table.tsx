import { Children, type ReactElement, type ReactNode } from 'react'
import { Box } from 'ink'
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

/** The only wrapper around ink-table: one line per row, each cell as wide as its column on the terminal. */
export const Table = <Key extends string>({ columns, rows, dimmed = [] }: TableProps<Key>) => {
  const shown = columns.filter((column) => column.width > 0)
  return (
    <LineTable
      columns={shown.map(({ key }) => key)}
      data={rows.map((row) => ({ ...row }))}
      padding={PADDING}
      cell={Cell}
      header={Cell}
      shown={shown}
      dimmed={dimmed}
    />
  )
}

/** Spaces on either side of a cell; ink-table takes 0 for the default. */
const PADDING = 1

interface CellProps {
  /** The number of the column; ink-table does not declare it for a header. */
  readonly column?: number
  /** The text of the cell, padded by ink-table. */
  readonly children?: ReactNode
}

/** Its element says what a cell contains; it is never drawn by itself. */
const Cell = (_: CellProps) => <></>

type Cells = Record<string, string>
type Line = ReactElement<{ readonly children: ReactNode }>

interface Shown {
  readonly shown: readonly Column<string>[]
  readonly dimmed: readonly boolean[]
}

/**
 * ink-table without its frame, and with each of its rows as one text: Ink visits every text in every frame, and fifty
 * agents have five hundred cells. ink-table measures in characters, so each cell is fitted into its columns again.
 */
class LineTable extends InkTable<Cells> {
  declare readonly props: InkTable<Cells>['props'] & Shown

  override render() {
    const columns = this.getColumns()
    const { data, shown, dimmed } = this.props
    return (
      <Box flexDirection="column">
        <Paint dim>{partsOf(this.heading({ key: 'heading', columns, data: this.getHeadings() }) as Line, shown)}</Paint>
        {data.map((row, index) => (
          // A row's key is its position: a changed row is written, not created again.
          <Paint key={index} dim={dimmed[index]}>
            {partsOf(this.data({ key: String(index), columns, data: row }) as Line, shown, dimmed[index] !== true)}
          </Paint>
        ))}
      </Box>
    )
  }
}

/** The cells of a line of ink-table as parts of one text, coloured or not. */
const partsOf = (line: Line, shown: readonly Column<string>[], isColoured = false): readonly ReactNode[] =>
  (Children.toArray(line.props.children) as readonly ReactElement<CellProps>[])
    .filter(({ type }) => type === Cell)
    .map(({ props: { column: at, children } }) => {
      const column = shown[at!]!
      const text = (typeof children === 'string' ? children : '').slice(PADDING).trimEnd()
      const { colour, dim } = (isColoured ? column.look?.(text) : undefined) ?? {}
      return <Paint key={at} colour={colour} dim={dim}>{`${fit(text, column.width, column.align)} `}</Paint>
    })
