import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/safe-text.ts'
import { fold, tail, widthOf } from './fit.ts'
import { Paint } from './Paint.tsx'
import { typingHints } from '../src/text/panes.ts'

export interface FilterProps {
  readonly text: SafeText
  readonly hint?: SafeText
  readonly wrong?: boolean
  readonly width?: number
  /** Lines that it may take; what is longer is cut. */
  readonly most?: number
}

/** The line in which words are typed that rows or lines must have; what is wrong with them stands above where there is no room beside them. */
export const Filter = ({ text, hint = ours(''), wrong = false, width = Infinity, most = 1 }: FilterProps) => {
  const above = problemLines({ text, hint, wrong }, width, most)
  // The end of a long text is where one types, and how many there are of it is worth a look.
  const shown = tail(text, Math.max(8, width - AROUND - (above.length > 0 ? 0 : Math.min(HINT, widthOf(hint)))))
  return (
    <Box flexDirection="column">
      {above.map((line, at) => (
        <Paint key={at} colour="yellow" hidden>{`   ${line}`}</Paint>
      ))}
      <Paint label={`${typingHints.filterLabel(text)}${hint === '' ? '' : `, ${hint}`}`}>
        <Paint bold>{' / '}</Paint>
        {shown}
        <Paint inverse> </Paint>
        {above.length > 0 ? '' : wrong ? <Paint colour="yellow">{`  ${hint}`}</Paint> : <Paint dim>{`  ${hint}`}</Paint>}
      </Paint>
    </Box>
  )
}

/** ` / ` in front, the cursor and two spaces behind. */
const AROUND = 6

/** Columns of the hint that a long text leaves: `1234+ tasks`. */
const HINT = 12

/** What is wrong, in lines of its own; none where it fits beside the text. */
export const problemLines = (
  { text, hint, wrong }: { readonly text: SafeText; readonly hint: SafeText; readonly wrong: boolean },
  width: number,
  most: number,
): readonly string[] => {
  if (!wrong || most <= 1 || widthOf(text) + widthOf(hint) + AROUND <= width) return []
  const lines = fold(hint, width - 3)
  return lines.length < most ? lines : [...lines.slice(0, most - 2), lines.slice(most - 2).join(' ')]
}
