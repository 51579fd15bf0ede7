import { useContext } from 'react'
import { Box, useIsScreenReaderEnabled } from 'ink'
import type { SafeText } from '../src/domain/safe-text.ts'
import { Paint } from './Paint.tsx'
import { type ColourName, ThemeInUse } from './theme.ts'
import { inWords } from '../src/text/signs.ts'
import { spokenText } from '../src/text/spoken.ts'

/** A line of a view that can be scrolled. */
export interface Line {
  readonly text: SafeText
  readonly colour?: ColourName | undefined
  readonly bold?: boolean
  readonly dim?: boolean
  /** Stands before the text and is no part of it, such as a number. */
  readonly lead?: SafeText
  /** Parts of the text that stand out: from, and up to which character. */
  readonly marks?: readonly (readonly [number, number])[]
  /** Where one is. */
  readonly cursor?: boolean
  /** Others wrote the text: it is read as it stands. */
  readonly theirs?: boolean
}

/** The lines that are visible, from the top. */
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
    return <Paint asWritten>{`${cursor ? spokenText.selected : ''}${lead === undefined ? '' : `${inWords(lead)} `}${coloured ? text : text.replace(sgr, '')}`}</Paint>
  // An empty line takes its row as well.
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

/** A text in what is marked and what is not. */
const partsOf = (text: string, marks: readonly (readonly [number, number])[]): readonly (readonly [string, boolean])[] => {
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
