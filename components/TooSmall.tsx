import { Box } from 'ink'
import { Paint } from './Paint.tsx'

/** Readable down to 20×5. */
export const TooSmall = ({ columns, rows }: { readonly columns: number; readonly rows: number }) => (
  <Box flexDirection="column">
    <Paint bold>aiswarm needs room</Paint>
    <Paint>{`40×10, this is ${columns}×${rows}`}</Paint>
    <Paint dim>q quits, agents work</Paint>
  </Box>
)
