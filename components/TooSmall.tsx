import { Box } from 'ink'
import type { SafeText } from '../src/domain/words/safe-text.ts'
import { Paint } from './base/Paint.tsx'
import { tooSmallText } from '../src/text/panes.ts'

/** Readable down to 20×5. */
export const TooSmall = ({
  columns,
  rows,
  keys,
}: {
  readonly columns: number
  readonly rows: number
  readonly keys: SafeText
}) => (
  <Box flexDirection="column">
    <Paint bold>{tooSmallText.needsRoom}</Paint>
    <Paint>{tooSmallText.size(columns, rows)}</Paint>
    <Paint dim>{keys}</Paint>
  </Box>
)
