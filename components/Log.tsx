import { memo, useContext } from 'react'
import { Box } from 'ink'
import type { SafeText } from '../src/domain/words/safe-text.ts'
import { type LogLook, logLooks } from './base/look.ts'
import { Paint } from './base/Paint.tsx'
import { ThemeInUse } from './base/theme.ts'

export interface LogLine {
  /** Increases with every line. */
  readonly key: number
  /** Clock time; empty for output and for further lines of a note. */
  readonly time: SafeText
  readonly look: LogLook
  readonly text: SafeText
  /** The moment of a note, by which older output is sorted. */
  readonly at?: string
}

export interface LogProps {
  readonly lines: readonly LogLine[]
  readonly empty: SafeText
}

export const Log = ({ lines, empty }: LogProps) => (
  <Box flexDirection="column">
    {lines.length === 0 ? (
      <Paint dim>{` ${empty}`}</Paint>
    ) : (
      lines.map(({ key, time, look, text }) => <Line key={key} time={time} look={look} text={text} />)
    )}
  </Box>
)

const Line = memo(({ time, look, text }: Pick<LogLine, 'time' | 'look' | 'text'>) => {
  const coloured = useContext(ThemeInUse).foreign === 'kept'
  const { word, colour, dim } = logLooks[look]
  const words = coloured ? text : withoutColour(text)
  if (look === 'output') return <Paint>{` ${words}`}</Paint>
  return (
    <Paint label={`${time} ${word} ${withoutColour(text)}`}>
      <Paint dim>{` ${time.padEnd(8)} `}</Paint>
      <Paint colour={colour} dim={dim}>{`${(time === '' ? '' : word).padEnd(5)} `}</Paint>
      {words}
    </Paint>
  )
})
Line.displayName = 'LogLine'

// oxlint-disable-next-line no-control-regex -- colour sequences are what is taken out
const withoutColour = (text: string): string => text.replace(/\u001b\[[0-9;:]*m/g, '')
