import { useContext } from 'react'
import { Box } from 'ink'
import type { SafeText } from '../src/domain/safe-text.ts'
import { Colours, Paint } from './Paint.tsx'

/** A line of a view that can be scrolled. */
export interface Line {
  readonly text: SafeText
  readonly colour?: string | undefined
  readonly bold?: boolean
  readonly dim?: boolean
}

/** The lines that are visible, from the top. */
export const Lines = ({ lines }: { readonly lines: readonly Line[] }) => {
  const coloured = useContext(Colours)
  return (
    <Box flexDirection="column">
      {lines.map(({ text, ...paint }, index) => (
        // An empty line takes its row as well.
        <Paint key={index} {...paint}>{` ${coloured ? text : text.replace(sgr, '')}`}</Paint>
      ))}
    </Box>
  )
}

// eslint-disable-next-line no-control-regex -- colour sequences are what is taken out
const sgr = /\u001b\[[0-9;:]*m/g
