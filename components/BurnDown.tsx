import { Box } from 'ink'
import type { SafeText } from '../src/domain/safe-text.ts'
import { lineRows } from './bars.ts'
import { fit } from './fit.ts'
import { Paint } from './Paint.tsx'

export interface BurnDownProps {
  /** Open tasks, twice for each column: its left and its right half; in ASCII once. */
  readonly open: readonly number[]
  readonly most: number
  /** The times below, as wide as the plot. */
  readonly axis: SafeText
  readonly height: number
  readonly plain: boolean
}

/** Columns that the numbers of the axis take. */
export const BURN_AXIS = 7

/** A line that goes down as tasks are closed, and up where new ones are made. What it comes to stands in the title of its pane. */
export const BurnDown = ({ open, most, axis, height, plain }: BurnDownProps) => {
  const rows = lineRows(open, most, Math.max(1, height - 1), plain)
  const edge = plain ? '|' : '│'
  return (
    <Box flexDirection="column" height={height}>
      {rows.map((row, at) => (
        <Paint key={at} hidden>
          <Paint dim>{`${fit(at === 0 ? String(most) : at === rows.length - 1 ? '0' : '', BURN_AXIS - 1, 'right')}${edge}`}</Paint>
          <Paint colour="cyan">{row}</Paint>
        </Paint>
      ))}
      <Paint dim hidden>{`${' '.repeat(BURN_AXIS)}${axis}`}</Paint>
    </Box>
  )
}
