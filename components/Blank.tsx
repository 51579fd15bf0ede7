import { Box } from 'ink'
import { Paint } from './base/Paint.tsx'

/** An empty area, which hides what is drawn below it. */
export const Blank = ({ columns, lines }: { readonly columns: number; readonly lines: number }) => (
  <Box position="absolute" flexDirection="column">
    {Array.from({ length: lines }, (_, line) => (
      <Paint key={line} hidden>
        {' '.repeat(columns)}
      </Paint>
    ))}
  </Box>
)
