import { useContext } from 'react'
import { Box, useIsScreenReaderEnabled } from 'ink'
import type { SafeText } from '../src/domain/words/safe-text.ts'
import { Paint } from './base/Paint.tsx'
import { type ColourName, ThemeInUse } from './base/theme.ts'
import { inWords } from '../src/text/signs.ts'
import { spokenText } from '../src/text/spoken.ts'

/** A line of a view that can be scrolled. */
export interface Line {
  readonly text: SafeText
  readonly colour?: ColourName | undefined
  readonly bold?: boolean
  readonly dim?: boolean
  /** Precedes the text without being part of it, such as a number. */
  readonly lead?: SafeText
  /** Highlighted parts of the text: from (inclusive) and to (exclusive). */
  readonly marks?: readonly (readonly [number, number])[]
  /** True if the cursor is on it. */
  readonly cursor?: boolean
  /** True for foreign text, which is read aloud unchanged. */
  readonly theirs?: boolean
}

/** The visible lines, from the top. */
export const Lines = ({ lines }: { readonly lines: readonly Line[] }) => (
  <Box flexDirection="column">
    {lines.map((line, index) => (
      <LineOf key={index} {...line} />
    ))}
  </Box>
)

const LineOf = ({ text, lead, marks = [], cursor = false, theirs = false, ...paint }: Line) => {
  const coloured = useContext(ThemeInUse).foreign === 'kept'
  const spoken = useIsScreenReaderEnabled()
  if (spoken && theirs)
    return (
      <Paint
        asWritten
      >{`${cursor ? spokenText.selected : ''}${lead === undefined ? '' : `${inWords(lead)} `}${coloured ? text : text.replace(sgr, '')}`}</Paint>
    )
  // An empty line takes a row too.
  if (lead === undefined && !cursor) return <Paint {...paint}>{` ${coloured ? text : text.replace(sgr, '')}`}</Paint>
  return (
    <Paint {...paint} bold={cursor || paint.bold}>
      <Paint colour="cyan" bold label={cursor ? spokenText.selected : ''}>
        {cursor ? '▸' : ' '}
      </Paint>
      {lead}
      {partsOf(text, marks).map(([part, marked], n) =>
        marked ? (
          <Paint key={n} inverse>
            {part}
          </Paint>
        ) : (
          part
        ),
      )}
    </Paint>
  )
}

/** Splits a text into highlighted and other parts. */
const partsOf = (
  text: string,
  marks: readonly (readonly [number, number])[],
): readonly (readonly [string, boolean])[] => {
  const parts: [string, boolean][] = []
  let at = 0
  for (const [from, to] of marks) {
    parts.push([text.slice(at, from), false], [text.slice(from, to), true])
    at = to
  }
  return [...parts, [text.slice(at), false]]
}

// eslint-disable-next-line no-control-regex -- colour sequences are what is taken out
const sgr = /\u001b\[[0-9;:]*m/g
