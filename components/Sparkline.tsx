import { Box } from 'ink'
import type { SafeText } from '../src/domain/words/safe-text.ts'
import { barRows } from './base/bars.ts'
import { cut, fit } from './base/fit.ts'
import { Paint } from './base/Paint.tsx'
import type { ColourName } from './base/theme.ts'
import { plotText } from '../src/text/history.ts'

export interface SparklineProps {
  readonly label: SafeText
  /** The summary in words. */
  readonly note: SafeText
  /** One for each column of the plot. */
  readonly values: readonly number[]
  /** The value at the top. */
  readonly most: number
  readonly mostWords: SafeText
  readonly width: number
  /** Without more than one line there are the words only, unless they are beside the bars. */
  readonly height: number
  /** True if the words are beside the bars, false if they are above them. */
  readonly beside: boolean
  readonly colour?: ColourName | undefined
  readonly plain: boolean
}

/** Columns of the words beside a plot of one line. */
export const SPARK_LABEL = 11
export const SPARK_NOTE = 20

/** A series as bars, with its label and its summary. */
export const Sparkline = ({
  label,
  note,
  values,
  most,
  mostWords,
  width,
  height,
  beside,
  colour,
  plain,
}: SparklineProps) => {
  const rows = barRows(values, most, Math.max(1, height - 1), plain)
  if (beside)
    return (
      <Paint label={`${label}: ${note}`}>
        <Paint bold>{` ${fit(label, SPARK_LABEL - 1)}`}</Paint>
        <Paint colour={colour}>{rows[0]}</Paint>
        <Paint dim>{` ${cut(note, SPARK_NOTE - 1)}`}</Paint>
      </Paint>
    )
  return (
    <Box flexDirection="column" height={height} width={width}>
      <Paint label={`${label}: ${note}`}>
        <Paint bold>{` ${label}`}</Paint>
        <Paint>{`  ${note}`}</Paint>
        {values.some((value) => value > 0) && <Paint dim>{`  ${plotText.scale(mostWords, plain)}`}</Paint>}
      </Paint>
      {(height === 1 ? [] : rows).map((row, at) => (
        <Paint key={at} colour={colour} hidden>{` ${row}`}</Paint>
      ))}
    </Box>
  )
}
