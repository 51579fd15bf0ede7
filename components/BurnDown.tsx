import { Box } from 'ink'
import type { SafeText } from '../src/domain/words/safe-text.ts'
import { lineRows } from './base/bars.ts'
import { fit } from './base/fit.ts'
import { Paint } from './base/Paint.tsx'

export interface BurnDownProps {
  /** Open tasks, two values per column (left and right half); in ASCII one. */
  readonly open: readonly number[]
  readonly most: number
  /** The times below, as wide as the plot. */
  readonly axis: SafeText
  readonly height: number
  readonly plain: boolean
}

/** Columns of the axis numbers. */
export const BURN_AXIS = 7

/**
 * A line that falls as tasks are closed and rises where new ones are created. Its summary is in the title of its pane.
 */
export const BurnDown = ({ open, most, axis, height, plain }: BurnDownProps) => {
  const rows = lineRows(open, most, Math.max(1, height - 1), plain)
  const edge = plain ? '|' : '│'
  return (
    <Box flexDirection="column" height={height}>
      {rows.map((row, at) => (
        <Paint key={at} hidden>
          <Paint
            dim
          >{`${fit(at === 0 ? String(most) : at === rows.length - 1 ? '0' : '', BURN_AXIS - 1, 'right')}${edge}`}</Paint>
          <Paint colour="cyan">{row}</Paint>
        </Paint>
      ))}
      <Paint dim hidden>{`${' '.repeat(BURN_AXIS)}${axis}`}</Paint>
    </Box>
  )
}
