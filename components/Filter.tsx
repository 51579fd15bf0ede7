import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { AROUND, HINT, problemLines } from './lines/notice.ts'
import { tail, widthOf } from './base/fit.ts'
import { Paint } from './base/Paint.tsx'
import { typingHints } from '../src/text/panes.ts'

export interface FilterProps {
  readonly text: SafeText
  readonly hint?: SafeText
  readonly wrong?: boolean
  readonly width?: number
  /** The most lines; longer text is truncated. */
  readonly most?: number
}

/** The input line for words that rows or lines must contain; an error is above it if there is no room beside it. */
export const Filter = ({ text, hint = ours(''), wrong = false, width = Infinity, most = 1 }: FilterProps) => {
  const above = problemLines({ text, hint, wrong }, width, most)
  // Of a long text the end is shown, where the person types, together with the number of results.
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
        {above.length > 0 ? (
          ''
        ) : wrong ? (
          <Paint colour="yellow">{`  ${hint}`}</Paint>
        ) : (
          <Paint dim>{`  ${hint}`}</Paint>
        )}
      </Paint>
    </Box>
  )
}
