import { Box } from 'ink'
import { Paint } from './Paint.tsx'
import { tooSmallText } from '../src/text/panes.ts'

/** Readable down to 20×5. */
export const TooSmall = ({ columns, rows }: { readonly columns: number; readonly rows: number }) => (
  <Box flexDirection="column">
    <Paint bold>{tooSmallText.needsRoom}</Paint>
    <Paint>{tooSmallText.size(columns, rows)}</Paint>
    <Paint dim>{tooSmallText.keys}</Paint>
  </Box>
)
